import type { Migration } from 'kysely';
import * as controlPlane from './0001-control-plane.ts';
import * as usage from './0002-usage.ts';
import * as rules from './0003-rules.ts';
import * as usageSteps from './0004-usage-steps.ts';
import * as receipts from './0005-receipts.ts';
import * as rollout from './0006-rollout.ts';
import * as pools from './0007-pools.ts';

/** In order. A migration that was released is never changed: what follows is a new one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-control-plane': controlPlane,
  '0002-usage': usage,
  '0003-rules': rules,
  '0004-usage-steps': usageSteps,
  '0005-receipts': receipts,
  '0006-rollout': rollout,
  '0007-pools': pools,
};
