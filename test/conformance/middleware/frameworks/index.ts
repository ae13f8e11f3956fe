import type { Framework } from '../rig.ts';
import { expresses } from './express.ts';
import { fastify } from './fastify.ts';
import { fetchHandler } from './fetch.ts';
import { hono } from './hono.ts';
import { koa } from './koa.ts';
import { nests } from './nest.ts';

/** All that must pass. */
export const frameworks: readonly Framework[] = [
  ...expresses,
  fastify,
  koa,
  hono,
  fetchHandler,
  ...nests,
];
