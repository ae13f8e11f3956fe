// The library as somebody gets it who installs it: not from source, and without this repository.

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Installed } from './installed.ts';

let installed: Installed;
beforeAll(async () => void (installed = await Installed.make()));
afterAll(() => installed.remove());

/** These speak to a framework by its own functions; all others know its types alone. */
const needsFramework = ['sluice/hono', 'sluice/nest'];

describe('installed alone', () => {
  test('it brings nothing else with it', () => {
    const { dependencies = {}, peerDependencies, peerDependenciesMeta } = installed.manifest;
    expect(dependencies).toEqual({});
    const optional = Object.entries(peerDependenciesMeta).filter(([, meta]) => meta.optional);
    expect(optional.map(([name]) => name)).toEqual(Object.keys(peerDependencies));
    const found = readdirSync(join(installed.folder, 'node_modules'));
    expect(found.filter((name) => !name.startsWith('.'))).toEqual(['sluice']);
  });

  test('every entry but those of frameworks with functions of their own can be imported', async () => {
    const names = installed.entries.filter((name) => !needsFramework.includes(name));
    const imports = names.map((name) => `await import('${name}')`).join(';');
    expect(await installed.node('--input-type=module', '-e', imports)).toBe('');
  });

  test('it can be required, as Node from 20.19 on can do with modules', async () => {
    const code = "console.log(typeof require('sluice').createLimiter, require('sluice/express'))";
    expect(await installed.node('-e', code)).toMatch(/^function .*rateLimit/s);
  });

  test('publint has nothing to say', async () => {
    const { messages } = await publint({
      pack: { tarball: installed.tarball.buffer },
      level: 'suggestion',
    });
    expect(messages).toEqual([]);
  });

  test('types are right wherever they are looked up', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(installed.tarball), {
      excludeEntrypoints: ['./package.json'],
    });
    // Modules alone: CommonJS requires them, on every Node that we support.
    const isOurs = (kind: string) => kind !== 'CJSResolvesToESM';
    expect(analysis.types && analysis.problems.filter(({ kind }) => isOurs(kind))).toEqual([]);
  });

  test('older compilers find each entry that newer ones do', () => {
    const named = Object.keys(installed.manifest.typesVersions['*'] ?? {});
    expect(['sluice', ...named.map((name) => `sluice/${name}`)]).toEqual(installed.entries);
  });
});

describe('bundled', () => {
  test('a limit brings neither a framework nor Redis nor an engine with it', async () => {
    const { code, modules } = await bundle("export { tokenBucket } from 'sluice';");
    expect(modules.filter((id) => !/dist\/(limiter\/limits|core)/.test(id))).toEqual([]);
    expect(code.length).toBeLessThan(2000);
  });

  test('a limiter in process brings no framework, and the adapters only their own', async () => {
    const limiter = await bundle("export { createLimiter } from 'sluice';");
    expect(limiter.modules.filter((id) => /middleware|node_modules\/(?!sluice)/.test(id))).toEqual(
      [],
    );
    const express = await bundle("export { rateLimit } from 'sluice/express';");
    const others = /middleware\/(fastify|hono|koa|nest|fetch)|node_modules\/(?!sluice)/;
    expect(express.modules.filter((id) => others.test(id))).toEqual([]);
    expect(express.modules.some((id) => id.includes('middleware/express'))).toBe(true);
  });
});

describe('with the frameworks beside it', () => {
  beforeAll(() => installed.linkPeers());

  test('the other entries can be imported too', async () => {
    const imports = needsFramework.map((name) => `await import('${name}')`).join(';');
    const code = `await import('reflect-metadata');${imports}`;
    expect(await installed.node('--input-type=module', '-e', code)).toBe('');
  });

  test.each([
    ['node16', 'node16', 'mts'],
    ['nodenext', 'nodenext', 'mts'],
    ['nodenext', 'nodenext', 'cts'],
    ['bundler', 'esnext', 'ts'],
  ])(
    'types resolve by %s in a module of kind %s, in a file that ends in %s',
    async (resolution, module, ending) => {
      const lines = installed.entries.map((name, at) => `import * as e${at} from '${name}';`);
      const used = installed.entries.map((_, at) => `e${at}`).join(', ');
      const folder = `types-${resolution}-${ending}`;
      await installed.write(`${folder}/use.${ending}`, `${lines.join('\n')}\nvoid [${used}];\n`);
      const config = await installed.write(
        `${folder}/tsconfig.json`,
        JSON.stringify({
          compilerOptions: {
            noEmit: true,
            strict: true,
            target: 'es2023',
            module,
            moduleResolution: resolution,
            types: ['node'],
            // Once is enough: what is declared is the same for all.
            skipLibCheck: ending !== 'cts',
          },
          files: [`use.${ending}`],
        }),
      );
      expect(await typeErrors(config)).toBe('');
    },
  );
});

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/** Of our own files: what frameworks declare is theirs. */
async function typeErrors(config: string): Promise<string> {
  const ran = promisify(execFile)(process.execPath, [compiler, '-p', config]);
  const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
  const ours = /^(?!\s).*(node_modules\/sluice|use\.)/;
  return stdout
    .split('\n')
    .filter((line) => ours.test(line))
    .join('\n');
}

let bundles = 0;

/** The code, minified, and which modules some of it came from. */
async function bundle(source: string): Promise<{ code: string; modules: string[] }> {
  const entry = await installed.write(`bundle-${(bundles += 1)}.mjs`, source);
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: installed.folder,
    ssr: { noExternal: true },
    build: { ssr: entry, write: false, minify: true, rolldownOptions: { external: /^node:/ } },
  });
  const { output } = built as Rolldown.RolldownOutput;
  const [chunk] = output;
  const modules = Object.entries(chunk.modules)
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => id.slice(installed.folder.length + 1))
    .filter((id) => id.startsWith('node_modules'));
  return { code: chunk.code, modules };
}
