// One of the racing processes: says when it is ready, starts when told, reports what it saw.

import { fromIoredis, RedisEngine } from '../../limiter/src/engines/redis/index.ts';
import { openCluster, openRedis } from '../servers/connect.ts';
import type { JobContext } from './asking.ts';
import { prepareJob, type Target } from './jobs.ts';
import type { Order, Report } from './racing-process.ts';
import { randomOf } from './random.ts';

// The end of the parent is the end of the race.
process.once('disconnect', () => process.exit(1));

let start: (() => Promise<void>) | undefined;

process.on('message', (message: unknown) => {
  const order = message as Order;
  const { run } = order;
  const work = order.kind === 'prepare' ? prepare(order) : start?.();
  work?.catch((error: unknown) => {
    const problem = error instanceof Error ? String(error.stack) : String(error);
    report({ run, kind: 'failed', problem });
  });
});

async function prepare(order: Extract<Order, { kind: 'prepare' }>): Promise<void> {
  const { run, job, target, seed } = order;
  const { client, close } = connect(target);
  await client.get('a-key-that-is-not-there');
  const engine = new RedisEngine(fromIoredis(client), {
    prefix: target.prefix,
    allowances: target.allowances ?? null,
  });
  const context: JobContext = { engine, random: randomOf(seed + 1), seed };
  const race = prepareJob(job, context);
  start = async () => {
    const result = await race();
    close();
    report({ run, kind: 'done', result });
  };
  report({ run, kind: 'prepared' });
}

function connect({ redisUrl, clusterNodes }: Target) {
  const client = redisUrl === undefined ? openCluster(clusterNodes ?? []) : openRedis(redisUrl);
  return { client, close: () => client.disconnect() };
}

function report(said: Report): void {
  process.send?.(said);
}

report({ run: 0, kind: 'started' });
