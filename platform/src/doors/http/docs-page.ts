import type { FastifyPluginAsync } from 'fastify';
import { readFile } from 'node:fs/promises';
import { pageHeaders } from './default-headers.ts';

const folder = new URL('./docs-page/', import.meta.url);

/** Its links are relative, so that it works under any prefix. */
const files = ['page.html', 'page.css', 'page.js', 'dom.js', 'schema.js'] as const;

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** The reference page: small, ours, and without a word to anybody else. */
export const docsPage: FastifyPluginAsync = async (app) => {
  for (const name of files) {
    const content = await readFile(new URL(name, folder), 'utf8');
    const url = name === 'page.html' ? '/docs' : `/docs/${name}`;
    const type = types[name.split('.').at(-1) ?? ''] ?? '';
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(pageHeaders).type(type).send(content),
    );
  }
};
