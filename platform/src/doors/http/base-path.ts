import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.ts';

/** `/limits` of `/limits/v1/check?x`: routes are written, and measured, without it. */
export function withoutBasePath(basePath: string, url: string): string {
  const path = pathOf(url);
  if (!isUnder(basePath, path)) return url;
  const rest = path.slice(basePath.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What lies outside is not ours, even where it is spelt like one of our routes. */
export function refuseOutside(app: FastifyInstance, basePath: string): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isUnder(basePath, pathOf(request.originalUrl))) return done();
    done(new Problem('not_found', `Everything here is under ${basePath}.`));
  });
}

function isUnder(basePath: string, path: string): boolean {
  if (!path.startsWith(basePath)) return false;
  const next = path[basePath.length];
  return next === undefined || next === '/' || next === '?';
}

/** A proxy may send the absolute form, `http://host/path`. */
function pathOf(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '');
}
