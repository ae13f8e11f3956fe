import { posix } from 'node:path';
import limiterPackage from '../limiter/package.json' with { type: 'json' };
import { type Room, testImports } from './rooms.ts';

export type SourceFile = {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

/** One sentence for each import that the table does not allow, and each file outside of any room. */
export function findViolations(files: readonly SourceFile[], rooms: readonly Room[]): string[] {
  return files.flatMap((file) => {
    const room = findRoom(file.path, rooms);
    if (room === undefined) return [`${file.path} is in no room; add one to scripts/rooms.ts`];
    const allowed = file.path.endsWith('.test.ts') ? extendForTests(room) : room;
    return listImports(file.text)
      .map((specifier) => judgeImport({ file, specifier, room: allowed, rooms }))
      .filter((sentence) => sentence !== undefined);
  });
}

type Import = {
  readonly file: SourceFile;
  readonly specifier: string;
  readonly room: Room;
  readonly rooms: readonly Room[];
};

function judgeImport({ file, specifier, room, rooms }: Import): string | undefined {
  const target = resolveImport(file.path, specifier);
  if (target === undefined) {
    if (isPackageAllowed(specifier, room)) return undefined;
    return `${file.path} imports ${specifier}: ${room.path} may not use this package`;
  }
  const targetRoom = findRoom(target, rooms);
  if (targetRoom === undefined) return `${file.path} imports ${specifier}, which is in no room`;
  if (targetRoom.path === room.path) return undefined;
  if (!room.mayImport.includes(targetRoom.path)) {
    return `${file.path} imports ${specifier}: ${room.path} may not import ${targetRoom.path}`;
  }
  const isTunnel = specifier.startsWith('.') && isOtherWorkspace(file.path, target);
  if (!isTunnel || room.seesInternals === true) return undefined;
  return `${file.path} imports ${specifier}: another workspace is imported by its package name`;
}

// Statements start a line in formatted code, which tells them from prose in comments.
const importPatterns = [
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^\s*import\s*['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
];

function listImports(text: string): string[] {
  return importPatterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, specifier]) => specifier ?? ''),
  );
}

/** What users may import of the library: the file behind each name. */
const { exports: entries } = limiterPackage as {
  readonly exports: Readonly<Record<string, { readonly source: string } | string>>;
};

/** Undefined for a package that is not ours. */
function resolveImport(fromPath: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(fromPath), specifier);
  if (specifier !== 'sluice' && !specifier.startsWith('sluice/')) return undefined;
  const entry = entries[specifier.replace('sluice', '.')];
  const source = typeof entry === 'object' ? entry.source : specifier.replace('sluice', 'src');
  return posix.join('limiter', source);
}

function isPackageAllowed(specifier: string, room: Room): boolean {
  if (room.packages === undefined) return true;
  return room.packages.some((name) =>
    name.endsWith(':')
      ? specifier.startsWith(name)
      : specifier === name || specifier.startsWith(`${name}/`),
  );
}

/** A test is in the room of what it tests, also when that is one file. */
function findRoom(path: string, rooms: readonly Room[]): Room | undefined {
  const tested = path.replace(/\.test\.ts$/, '.ts');
  return rooms
    .filter((room) => tested === room.path || path.startsWith(`${room.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

function extendForTests(room: Room): Room {
  return {
    ...room,
    mayImport: [...room.mayImport, ...testImports.mayImport],
    ...(room.packages && { packages: [...room.packages, ...testImports.packages] }),
  };
}

const workspaces = ['limiter', 'platform', 'dashboard'];

function isOtherWorkspace(fromPath: string, toPath: string): boolean {
  const [from = ''] = fromPath.split('/');
  const [to = ''] = toPath.split('/');
  return from !== to && workspaces.includes(to);
}
