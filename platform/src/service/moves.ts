import { Moves } from '../control/pools/moves.ts';
import { QuotaUsage } from '../control/quotas/quota-usage.ts';
import { Drainer } from '../control/usage/drainer.ts';
import type { Foundation } from './foundation.ts';

/** What goes from stores to the database, and from one store to another. */
export type Moving = { readonly drainer: Drainer; readonly moves: Moves };

export function openMoving({ database: { db }, store, log }: Foundation): Moving {
  const { engine } = store;
  const drainer = new Drainer(db, engine);
  const moves = new Moves({
    db,
    engine: {
      publishEpoch: (tenant, epoch) => engine.publishEpoch(tenant, epoch),
      seed: (tenant, seeds) => engine.seed(tenant, seeds),
      readQuotas: (tenant, saved) => store.readQuotas(tenant, saved),
    },
    usage: new QuotaUsage(db),
    drain: (tenant) => drainer.drain(tenant),
    onLost: (error) => log.logger.warn({ event: 'move.unread', err: error }),
  });
  return { drainer, moves };
}
