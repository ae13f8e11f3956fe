import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pageHeaders } from './default-headers.ts';
import { Problem } from './problem.ts';

const encodings = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof encodings;

type File = {
  readonly type: string;
  readonly tag: string;
  readonly content: Buffer;
  readonly packed: Readonly<Partial<Record<Encoding, Buffer>>>;
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Their names change with what they hold. */
const assetCaching = 'public, max-age=31536000, immutable';

export type ConsoleOptions = {
  readonly basePath: string;
  /** Where it was built to. */
  readonly folder?: string;
};

/**
 * `GET /` and what that page loads. All further addresses of the console are behind a `#`, which no
 * server sees: none can collide with a route, and all work under any prefix. Where the console was
 * not built, the reference stands in for it.
 */
export const consoleRoutes: FastifyPluginAsync<ConsoleOptions> = async (app, options) => {
  const { basePath, folder = builtFolder() } = options;
  const page = existsSync(join(folder, 'index.html')) ? readFile(folder, 'index.html') : null;
  const assets = page ? readAssets(join(folder, 'assets')) : new Map<string, File>();

  app.get('/', { schema: { hide: true } }, (request, reply) => {
    reply.headers(pageHeaders);
    if (!page) return reply.redirect(`${basePath}/docs`);
    // What the page loads is named relative to a folder.
    if (!pathOf(request.originalUrl).endsWith('/')) return reply.redirect(`${basePath}/`);
    return sendFile(request, reply, page);
  });

  app.get<{ Params: { name: string } }>(
    '/assets/:name',
    { schema: { hide: true } },
    (request, reply) => {
      const file = assets.get(request.params.name);
      if (!file) throw new Problem('not_found', 'The console has no such file.');
      reply.headers(pageHeaders).header('cache-control', assetCaching);
      return sendFile(request, reply, file);
    },
  );
};

function builtFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('@sluice/dashboard/package.json');
  return join(dirname(manifest), 'dist');
}

function readAssets(folder: string): Map<string, File> {
  const names = readdirSync(folder).filter((name) => types[extname(name)] !== undefined);
  return new Map(names.map((name) => [name, readFile(folder, name)]));
}

function readFile(folder: string, name: string): File {
  const path = join(folder, name);
  const content = readFileSync(path);
  const packed: Partial<Record<Encoding, Buffer>> = {};
  for (const [encoding, suffix] of Object.entries(encodings)) {
    if (existsSync(path + suffix)) packed[encoding as Encoding] = readFileSync(path + suffix);
  }
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { type: types[extname(name)] ?? '', tag: digest, content, packed };
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const encoding = acceptedOf(request.headers['accept-encoding'] ?? '', file);
  const tag = `"${file.tag}${encoding === null ? '' : `-${encoding}`}"`;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
  reply.header('etag', tag).type(file.type);
  if (knows(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(encoding === null ? file.content : file.packed[encoding]);
}

/** The best of what the caller takes and we have; `q=0` takes nothing. */
function acceptedOf(header: string, { packed }: File): Encoding | null {
  const accepted = header
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim());
  const known = Object.keys(encodings) as Encoding[];
  return known.find((name) => packed[name] && accepted.includes(name)) ?? null;
}

/** A proxy may have made the tag a weak one. */
function knows(header: string | undefined, tag: string): boolean {
  const tags = header?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(tag) || tags.includes('*');
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
