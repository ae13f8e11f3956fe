import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileBytesMax } from './folder.ts';
import { FolderConfig, type FolderConfigOptions } from './folder-config.ts';

const rules = (domain: string) =>
  `domain: ${domain}\ndescriptors:\n  - { key: a, rate_limit: { unit: day, requests_per_unit: 1 } }\n`;

describe('a folder of configuration', () => {
  let folder = '';
  let live: FolderConfig | undefined;
  let loads: boolean[] = [];
  let problems: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-rls-'));
    loads = [];
    problems = [];
  });
  afterEach(async () => {
    await live?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const open = async (options: Partial<FolderConfigOptions> = {}) => {
    live = new FolderConfig({
      folder,
      isMerging: false,
      settleMs: 5,
      onLoad: (isGood) => loads.push(isGood),
      onProblem: (problem) => problems.push(problem),
      ...options,
    });
    await live.open();
    return live;
  };
  const put = (name: string, text: string) => writeFile(join(folder, name), text);
  const domains = () => [...(live?.config?.keys() ?? [])];

  it('A7 is read again when a file comes or goes', async () => {
    await put('one.yaml', rules('one'));
    await open();
    expect(domains()).toEqual(['one']);
    await put('two.yml', rules('two'));
    await vi.waitFor(() => expect(domains()).toEqual(['one', 'two']));
    await unlink(join(folder, 'one.yaml'));
    await vi.waitFor(() => expect(domains()).toEqual(['two']));
    expect(loads.every(Boolean)).toBe(true);
    expect(loads.length).toBeGreaterThanOrEqual(3);
  });

  it('C2 stays what it was while it can not be used, and says why once', async () => {
    await put('one.yaml', rules('one'));
    const { load } = await open().then((it) => ({ load: () => it.load() }));
    await put('two.yaml', 'domain: two\ndescriptors:\n  - value: x\n');
    await vi.waitFor(() => expect(problems).toEqual(['two.yaml:3: descriptor has empty key']));
    await load();
    await put('three.txt', 'is not read');
    await load();
    expect([domains(), loads, problems.length]).toEqual([['one'], [true, false], 1]);
    await put('two.yaml', rules('two'));
    await vi.waitFor(() => expect(domains()).toEqual(['one', 'two']));
  });

  it('is read again where nobody tells of changes', async () => {
    await open({ settleMs: 3_600_000, pollMs: 10 });
    expect(domains()).toEqual([]);
    await put('one.yaml', rules('one'));
    await vi.waitFor(() => expect(domains()).toEqual(['one']));
  });

  it('follows the links of a mounted ConfigMap', async () => {
    const version = async (name: string, domain: string) => {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'rules.yaml'), rules(domain));
    };
    await version('..v1', 'one');
    await symlink('..v1', join(folder, '..data'));
    await symlink('..data/rules.yaml', join(folder, 'rules.yaml'));
    await open();
    expect(domains()).toEqual(['one']);
    await version('..v2', 'two');
    await symlink('..v2', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    await vi.waitFor(() => expect(domains()).toEqual(['two']));
  });

  it('that is not there, or too large, has no rules and says so', async () => {
    await open({ folder: join(folder, 'absent') });
    expect([live?.config, loads, problems.length]).toEqual([null, [false], 1]);
    await live?.close();
    await put('big.yaml', `# ${'x'.repeat(fileBytesMax)}`);
    await open();
    expect(problems[1]).toBe(`big.yaml:1: is larger than ${fileBytesMax} bytes`);
  });
});
