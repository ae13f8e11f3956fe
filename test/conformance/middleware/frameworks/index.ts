import type { Framework } from '../rig.ts';
import { expresses } from './express.ts';
import { fastify } from './fastify.ts';

/** All that must pass. */
export const frameworks: readonly Framework[] = [...expresses, fastify];
