import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { BoundLimit, Engine, TenantRef } from '../../limiter/src/core/engine.ts';
import type { Limit } from '../../limiter/src/core/limit.ts';
import { view } from '../../limiter/src/core/view.ts';
import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import { raceTenant } from './asking.ts';
import { branchOf, userCount, type Target } from './jobs.ts';

export { processCount } from './running-count.ts';

export const single = (): Target => ({ redisUrl: inject('redisUrl'), prefix: newPrefix() });
export const cluster = (): Target => ({
  clusterNodes: inject('redisClusterNodes'),
  prefix: newPrefix(),
});

function newPrefix(): string {
  return `race-${randomUUID()}`;
}

/** What the counters themselves say. */
export function usedOf(target: Target, counters: readonly BoundLimit[]): Promise<number[]> {
  return withEngine(target, (engine) => usedIn(engine, raceTenant, counters));
}

/** What each tenant's own counter says. */
export function usedByTenants(
  target: Target,
  tenants: readonly string[],
  counter: BoundLimit,
): Promise<number[]> {
  return withEngine(target, async (engine) => {
    const used = await Promise.all(tenants.map((id) => usedIn(engine, { id }, [counter])));
    return used.flat();
  });
}

export async function withEngine<T>(
  target: Target,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const client =
    target.redisUrl === undefined
      ? openCluster(target.clusterNodes ?? [])
      : openRedis(target.redisUrl);
  try {
    return await work(new RedisEngine(fromIoredis(client), { prefix: target.prefix }));
  } finally {
    client.disconnect();
  }
}

export async function usedIn(
  engine: Engine,
  tenant: TenantRef,
  counters: readonly BoundLimit[],
): Promise<number[]> {
  const { nowUs, readings } = await engine.inspect(tenant, counters);
  return counters.map((counter, at) => {
    const reading = readings[at];
    if (!reading) throw new Error('a counter was not read');
    return view(counter, reading, nowUs).used;
  });
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function merged(records: readonly Record<string, number>[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const record of records) {
    for (const [name, number] of Object.entries(record)) {
      total.set(name, (total.get(name) ?? 0) + number);
    }
  }
  return total;
}

/** Every counter of a tree of tenant, team and user, once. */
export function countersOfTree(levels: readonly Limit[]): BoundLimit[] {
  const counters = new Map<string, BoundLimit>();
  for (let at = 0; at < userCount; at += 1) {
    const branch = branchOf(at);
    for (const [level, limit] of levels.entries()) {
      const parts = branch[level] ?? [];
      counters.set(parts.join('/'), { limit, parts, cost: 0 });
    }
  }
  return [...counters.values()];
}
