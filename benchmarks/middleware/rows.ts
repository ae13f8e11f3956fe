import { fileURLToPath } from 'node:url';
import type { Driver } from '../service/driver.ts';
import { measure, type Contender, type Measured } from '../service/measure.ts';
import type { ServicePace } from '../service/options.ts';
import { startProgram, type Server } from '../service/process.ts';
import { lineOf, type Line } from '../service/table.ts';

/** One framework on one store, beside the limiter that people use there. */
export type Row = {
  readonly framework: 'express' | 'fastify';
  readonly isOnRedis: boolean;
  readonly peer: string;
  readonly atLeast: number;
};

export const rows = {
  h: { framework: 'express', isOnRedis: false, peer: 'express-rate-limit', atLeast: 0.95 },
  i: { framework: 'fastify', isOnRedis: false, peer: '@fastify/rate-limit', atLeast: 0.95 },
  j: { framework: 'express', isOnRedis: true, peer: 'rate-limit-redis', atLeast: 1 },
  k: { framework: 'fastify', isOnRedis: true, peer: '@fastify/rate-limit', atLeast: 1 },
} as const satisfies Readonly<Record<string, Row>>;

export type RowName = keyof typeof rows;

const users = Array.from({ length: 10_000 }, (_, at) => `user-${String(at).padStart(6, '0')}`);
/** Nobody reaches it, or everybody after the first call. */
const wide = { LIMIT: '1000000' };
const tight = { LIMIT: '1' };

/** Whose turn comes right after whose is compared with whose. */
const contenders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bare: { LIMITER: 'none', ...wide },
  peer: { LIMITER: 'peer', ...wide },
  ours: { LIMITER: 'sluice', ...wide },
  few: { LIMITER: 'sluice', HEADERS: 'trio', ...wide },
  bucket: { LIMITER: 'sluice', ALGORITHM: 'bucket', ...wide },
  peerRefuses: { LIMITER: 'peer', ...tight },
  oursRefuses: { LIMITER: 'sluice', ...tight },
};

export type Stage = {
  readonly driver: Driver;
  readonly nodeArgs: readonly string[];
  readonly asleep: boolean;
  /** One that nobody else counts in. */
  readonly startRedis: () => Promise<string>;
  readonly stops: (() => Promise<void>)[];
};

/** What was seen of each contender while its server lived. */
export type MeasuredRow = Measured<string>;

export async function measureRow(
  name: RowName,
  stage: Stage,
  pace: ServicePace,
): Promise<MeasuredRow> {
  const row: Row = rows[name];
  // On Redis three share two processors, and who stays awake would take them from who works.
  const isAwake = !row.isOnRedis && !stage.asleep;
  const measured: Record<string, Contender> = {};
  for (const [who, settings] of Object.entries(contenders)) {
    const server = await start(row, settings, stage);
    const load = { port: server.port, path: '/orders/17', method: 'GET', keys: users } as const;
    const mayRefuse = settings['LIMIT'] === '1';
    await stage.driver.define(who, { ...load, bodies: [], mayRefuse, isAwake });
    await stage.driver.runOnce(who);
    measured[who] = { server, load: who, decisions: 1 };
  }
  const seen = await measure(stage.driver, measured, pace);
  for (const [who, { server }] of Object.entries(measured)) await requireCounted(who, server);
  return seen;
}

/** Of all lives together. */
export function linesOf(name: RowName, lives: readonly MeasuredRow[]): Line[] {
  const row: Row = rows[name];
  const where = `${row.framework}${row.isOnRedis ? ' on Redis' : ''}`;
  const samplesOf = (who: string) => lives.flatMap((seen) => seen[who] ?? []);
  const line = (
    [subject, baseline]: readonly [string, string],
    what: string,
    against: string,
    atLeast: number | null = null,
  ): Line =>
    lineOf({
      row: name,
      what: `${where}, ${what}`,
      against,
      atLeast,
      subject: samplesOf(subject),
      baseline: samplesOf(baseline),
    });
  return [
    line(['ours', 'peer'], 'fixed window', row.peer, row.atLeast),
    line(['few', 'peer'], 'four fields as the peer has', row.peer),
    line(['bucket', 'peer'], 'token bucket', row.peer),
    line(['oursRefuses', 'peerRefuses'], 'all refused', `${row.peer}, all refused`),
    line(['ours', 'bare'], 'fixed window', 'no limiter'),
    line(['peer', 'bare'], row.peer, 'no limiter'),
  ];
}

/** Were the answers given without a limiter's decision, we would have measured something else. */
async function requireCounted(who: string, { url }: Server): Promise<void> {
  const answer = await fetch(`${url}/orders/17`, { headers: { 'x-api-key': users[0] ?? '' } });
  await answer.arrayBuffer();
  const expected = who.endsWith('Refuses') ? 429 : 200;
  const isTold = ['x-ratelimit-remaining', 'ratelimit-remaining'].some((name) =>
    answer.headers.has(name),
  );
  const isCounted = who === 'bare' || isTold;
  if (answer.status === expected && isCounted) return;
  throw new Error(`${who}: ${answer.status}, ${JSON.stringify([...answer.headers])}`);
}

async function start(
  { framework, isOnRedis }: Row,
  settings: Readonly<Record<string, string>>,
  { nodeArgs, startRedis, stops }: Stage,
): Promise<Server> {
  const path = fileURLToPath(new URL(`servers/${framework}.mjs`, import.meta.url));
  const counts = isOnRedis && settings['LIMITER'] !== 'none';
  const where: Record<string, string> = counts ? { REDIS_URL: await startRedis() } : {};
  const server = await startProgram([...nodeArgs, path], { ...settings, ...where });
  stops.push(() => server.stop());
  return server;
}
