import { expect, test } from 'vitest';
import { findViolations } from './room-violations.ts';
import { type Room, rooms } from './rooms.ts';

const table: readonly Room[] = [
  { path: 'limiter/src/words', mayImport: [], packages: [] },
  { path: 'limiter/src/engine', mayImport: ['limiter/src/words'], packages: ['node:'] },
  { path: 'limiter/src/index.ts', mayImport: ['limiter/src/words'], packages: [] },
  { path: 'examples', mayImport: ['limiter/src/index.ts'] },
  { path: 'test', mayImport: ['limiter/src/index.ts', 'limiter/src/engine'], seesInternals: true },
];

function violationsOf(path: string, text: string, rooms: readonly Room[] = table): string[] {
  return findViolations([{ path, text }], rooms);
}

test('an import that the table lists is fine', () => {
  expect(violationsOf('limiter/src/engine/a.ts', "import { a } from '../words/a.ts';")).toEqual([]);
  expect(violationsOf('limiter/src/engine/a.ts', "import fs from 'node:fs';")).toEqual([]);
  expect(violationsOf('limiter/src/engine/deep/a.ts', "import { b } from '../b.ts';")).toEqual([]);
});

test.each([
  ['a value', "import { a } from '../engine/a.ts';"],
  ['a type', "import type { A } from '../engine/a.ts';"],
  ['several lines', "import {\n  a,\n  b,\n} from '../engine/a.ts';"],
  ['a re-export', "export { a } from '../engine/a.ts';"],
  ['side effects', "import '../engine/a.ts';"],
  ['a promise', "const a = await import('../engine/a.ts');"],
])('an import of %s against the direction is a violation', (_, text) => {
  expect(violationsOf('limiter/src/words/a.ts', text)).toEqual([
    'limiter/src/words/a.ts imports ../engine/a.ts: ' +
      'limiter/src/words may not import limiter/src/engine',
  ]);
});

test('a word about an import in a comment is not an import', () => {
  const text = "// import { a } from '../engine/a.ts';\n/**\n * from '../engine/a.ts'\n */";
  expect(violationsOf('limiter/src/words/a.ts', text)).toEqual([]);
});

test('a file in no room and an import of one are violations', () => {
  expect(violationsOf('limiter/src/stray.ts', '')).toHaveLength(1);
  expect(violationsOf('limiter/src/engine/a.ts', "import '../stray.ts';")).toHaveLength(1);
});

test('a package that the room does not list is a violation, except for its tests', () => {
  const text = "import { test } from 'vitest';";
  expect(violationsOf('limiter/src/words/a.ts', text)).toHaveLength(1);
  expect(violationsOf('limiter/src/words/a.test.ts', text)).toEqual([]);
});

test('a test beside a room of one file is in that room', () => {
  expect(violationsOf('limiter/src/index.test.ts', "import './words/a.ts';")).toEqual([]);
  expect(violationsOf('limiter/src/other.test.ts', '')).toHaveLength(1);
});

test('another workspace is imported by its name, unless the room sees internals', () => {
  expect(violationsOf('examples/a.ts', "import 'sluice';")).toEqual([]);
  expect(violationsOf('examples/a.ts', "import '../limiter/src/index.ts';")).toHaveLength(1);
  expect(violationsOf('examples/a.ts', "import 'sluice/engine';")).toHaveLength(1);
  expect(violationsOf('test/a.ts', "import '../limiter/src/engine/a.ts';")).toEqual([]);
  expect(violationsOf('test/a.ts', "import '../limiter/src/words/a.ts';")).toHaveLength(1);
});

test('the real table keeps core alone, middleware off the engines, and doors apart', () => {
  const forbidden = [
    ['limiter/src/core/a.ts', "import '../engines/memory/a.ts';"],
    ['limiter/src/core/a.ts', "import 'node:fs';"],
    ['limiter/src/middleware/express/a.ts', "import '../../engines/redis/a.ts';"],
    ['platform/src/doors/envoy/a.ts', "import '../http/a.ts';"],
    ['platform/src/decide/a.ts', "import '../doors/http/a.ts';"],
    ['platform/src/control/a.ts', "import '../decide/a.ts';"],
    ['examples/a.ts', "import '../limiter/src/core/a.ts';"],
  ] as const;
  for (const [path, text] of forbidden) expect(violationsOf(path, text, rooms)).toHaveLength(1);
});

test('every room in the real table imports only rooms that exist', () => {
  const paths = new Set(rooms.map((room) => room.path));
  const unknown = rooms.flatMap((room) => room.mayImport.filter((path) => !paths.has(path)));
  expect(unknown).toEqual([]);
});
