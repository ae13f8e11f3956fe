import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StoreFailure } from '../../core/errors.ts';
import type { RedisClient } from './client.ts';

/** One linked script: its text and the digest Redis knows it by. */
export type Script = {
  readonly name: string;
  readonly source: string;
  readonly sha: string;
  /** Its reply is one text of bytes. */
  readonly isPacked: boolean;
};

export type LinkOptions = {
  /** Library files, in the order they are joined. */
  readonly libraries: readonly string[];
  readonly entry: string;
  /** Where it is not the entry's. */
  readonly name?: string;
  /** Optional functions that this script is linked without. */
  readonly absent?: readonly string[];
  /** Redis itself refuses every write then. */
  readonly readOnly?: boolean;
  /** It packs its reply. */
  readonly isPacked?: boolean;
  /** It takes several calls at once. */
  readonly isForMany?: boolean;
};

/** Reads one Lua file by its name below `lua/`. */
export type LuaSource = (name: string) => string;

export const luaFiles: LuaSource = (name) =>
  readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8');

/** Room for what sixteen tenants are answered of one bucket each: a list that grows costs more. */
const replyRoom = Array.from({ length: 16 * 6 }, () => 'nil').join(', ');

/**
 * Linking is joining files, no more. Every function costs Redis time on every call, so a script is
 * linked with just what it uses. The shebang makes Redis refuse keys of other slots.
 */
export function link(read: LuaSource, options: LinkOptions): Script {
  const { libraries, entry, name = entry, absent, readOnly, isPacked = false } = options;
  const body = withoutComments(read(entry));
  const parts = [
    readOnly ? '#!lua flags=no-writes' : '#!lua',
    // Each call in turn has its own part of them.
    ...(options.isForMany
      ? [
          'local KEYS, ARGV = KEYS, ARGV',
          'local company = { base = 0, last = 0, n = 0, touched = {}, fields = {},',
          `reply = { ${replyRoom} } }`,
        ]
      : []),
    'local algorithms = {}',
    ...(absent && absent.length > 0 ? [`local ${absent.join(', ')}`] : []),
    ...libraries.map((name) => withoutComments(read(`lib/${name}`))),
    ...(options.isForMany
      ? ['local function one()', body, 'end', withoutComments(read('many'))]
      : [body]),
  ];
  const source = parts.join('\n');
  return { name, source, sha: createHash('sha1').update(source).digest('hex'), isPacked };
}

/** Comments are for readers of the files; Redis keeps every script in memory as it was sent. */
function withoutComments(lua: string): string {
  return lua.replace(/^\s*--.*\n/gm, '');
}

/**
 * Only an explicit NOSCRIPT is sent again, for then nothing ran. Any other failure may have
 * happened after the script did its work, and sending it again would charge twice.
 */
export function run(
  client: RedisClient,
  { name, source, sha, isPacked }: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  return client.evalsha(sha, keys, args, name, isPacked).catch((error: unknown) => {
    if (!isNoScript(error)) throw failureOf(error);
    return client.eval(source, keys, args, name, isPacked).catch((again: unknown) => {
      throw failureOf(again);
    });
  });
}

export function failureOf(error: unknown): StoreFailure {
  return new StoreFailure(reasonOf(error), error);
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/** The kind of a Redis error, without its text: that may quote keys and arguments. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [code = ''] = message.split(' ', 1);
  return /^[A-Z]{2,16}$/.test(code) ? code.toLowerCase() : 'unreachable';
}
