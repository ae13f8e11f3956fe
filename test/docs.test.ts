// Holds the documentation to the repository it describes.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { rooms } from '../scripts/rooms.ts';

const rootPath = fileURLToPath(new URL('..', import.meta.url));
const notOurs = ['node_modules', 'dist', 'data', 'coverage'];
const pages = listPages();

test('there are pages to check', () => {
  expect(pages).toContain('README.md');
  expect(pages).toContain('docs/architecture.md');
});

describe.each(pages)('%s', (page) => {
  test('links only to what is there', () => {
    const broken = listLinks(page).filter((link) => !isThere(page, link));
    expect(broken).toEqual([]);
  });
});

describe('the table of rooms in docs/architecture.md', () => {
  const rows = readRoomTable();
  const tabled = rooms.filter(({ path }) => /^(limiter|platform|dashboard)\//.test(path));

  test('has a row for each room and no other', () => {
    expect([...rows.keys()].toSorted()).toEqual(tabled.map(({ path }) => short(path)).toSorted());
  });

  test.each(tabled)('says what $path may import', ({ path, mayImport }) => {
    expect(rows.get(short(path))?.toSorted()).toEqual(mayImport.map(short).toSorted());
  });
});

/** From the root of the repository, with forward slashes; without what was installed or built. */
function listPages(folder = ''): string[] {
  return readdirSync(join(rootPath, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) return entry.name.endsWith('.md') ? [path] : [];
    const skipped = entry.name.startsWith('.') || notOurs.includes(entry.name);
    return entry.isDirectory() && !skipped ? listPages(path) : [];
  });
}

/** Relative links in the text; what stands in code is no link. */
function listLinks(page: string): string[] {
  return [...readProse(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link ?? '')
    .filter((link) => !/^[a-z]+:/.test(link) && !link.includes('NNNN'));
}

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(rootPath, target))) return false;
  return anchor === undefined || listAnchors(target).includes(anchor);
}

function listAnchors(page: string): string[] {
  return [...readProse(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function readProse(page: string): string {
  return readFileSync(join(rootPath, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
}

/** Room → what its row says it may import. */
function readRoomTable(): Map<string, string[]> {
  const rowPattern = /^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|$/gm;
  const [, section = ''] = readProse('docs/architecture.md').split('\n## Rooms\n');
  const [table = ''] = section.split('\n## ');
  return new Map(
    [...table.matchAll(rowPattern)].map(([, room = '', imports = '']) => [
      room,
      [...imports.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
    ]),
  );
}

function short(path: string): string {
  return path.replace(/^(limiter|platform)\/src\//, '').replace(/^dashboard\/src$/, 'dashboard');
}
