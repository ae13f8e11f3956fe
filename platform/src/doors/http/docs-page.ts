import type { FastifyPluginAsync } from 'fastify';
import { readFile } from 'node:fs/promises';
import { pageHeaders } from './default-headers.ts';

const folder = new URL('./docs-page/', import.meta.url);

/** Its links are relative, so that it works under any prefix. */
const files = [
  { url: '/docs', name: 'page.html', type: 'text/html; charset=utf-8' },
  { url: '/docs/page.css', name: 'page.css', type: 'text/css; charset=utf-8' },
  { url: '/docs/page.js', name: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** The reference page: small, ours, and without a word to anybody else. */
export const docsPage: FastifyPluginAsync = async (app) => {
  for (const { url, name, type } of files) {
    const content = await readFile(new URL(name, folder), 'utf8');
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(pageHeaders).type(type).send(content),
    );
  }
};
