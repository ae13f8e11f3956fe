import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BoundLimit,
  Decided,
  DecideCall,
  Engine,
  Question,
  TenantRef,
} from '../../limiter/src/core/engine.ts';
import { periodsAround } from '../../limiter/src/core/algorithms/quota.ts';
import type { LimitInput } from '../../limiter/src/core/limit-input.ts';
import type { Limit } from '../../limiter/src/core/limit.ts';
import { limitOf } from './limits.ts';
import { pick } from './store.ts';

const penalty = { blockFor: '50 ms', blockGrowth: 2, blockMax: '1 s' } as const;

/** One of each algorithm and representation; the names keep their counters apart. */
export const everyKind: readonly LimitInput[] = [
  { algorithm: 'token_bucket', name: 'whole', capacity: 5, refillPerSecond: 20 },
  { algorithm: 'token_bucket', name: 'thirds', capacity: 5, refillPerSecond: 3 },
  { algorithm: 'token_bucket', name: 'text', capacity: 9, refillPerSecond: 1500.7 },
  { algorithm: 'fixed_window', name: 'clock', limit: 6, window: '200 ms' },
  { algorithm: 'fixed_window', name: 'first', limit: 6, window: '1 s', align: 'first_request' },
  { algorithm: 'sliding_window_log', name: 'log', limit: 6, window: '300 ms' },
  { algorithm: 'sliding_window_counter', name: 'counter', limit: 6, window: '300 ms' },
  { algorithm: 'concurrency', name: 'slots', maxConcurrent: 3, staleAfter: '100 ms' },
  { algorithm: 'quota', name: 'hourly', limit: 50, period: 'hour' },
  { algorithm: 'quota', name: 'monthly', limit: 50, period: 'month', timezone: 'Europe/Berlin' },
];

/** The same again as shadow and warn limits, with penalties, and for all tenants together. */
export const everyLimit: readonly Limit[] = [
  ...everyKind,
  ...everyKind.map((input) => ({
    ...input,
    name: `${input.name}-shadow`,
    mode: 'shadow' as const,
  })),
  ...everyKind.map((input) => ({ ...input, name: `${input.name}-penalty`, ...penalty })),
  ...everyKind.map((input) => ({
    ...input,
    ...penalty,
    name: `${input.name}-warn-penalty`,
    mode: 'warn' as const,
  })),
  ...everyKind
    .filter(({ algorithm }) => algorithm !== 'concurrency')
    .map((input) => ({
      ...input,
      ...penalty,
      name: `${input.name}-global`,
      per: ['global', 'resource', 'attributes.who'] as const,
    })),
].map(limitOf);

const label = 'plan.1';

/** What a random workload remembers of its own doing, to settle, refund and release it later. */
type Doing = {
  readonly engine: Engine;
  readonly tenant: TenantRef;
  readonly random: () => number;
  readonly charged: { readonly answer: Decided; readonly question: Question }[];
  readonly tickets: string[];
  readonly reservations: string[];
  batches: number;
  asked: number;
};

export type Workload = {
  readonly engine: Engine;
  readonly tenant: TenantRef;
  readonly random: () => number;
  readonly steps: number;
};

function begin(place: Omit<Workload, 'steps'>): Doing {
  return { ...place, charged: [], tickets: [], reservations: [], batches: 0, asked: 0 };
}

/** Every verb with every kind of limit, at random, on whatever clock the engine has. */
export async function runWorkload({ steps, ...place }: Workload): Promise<void> {
  const doing = begin(place);
  for (let step = 0; step < steps; step += 1) await pick(doing.random, verbs)(doing);
}

/** Each verb at least once, whatever the dice say. */
export async function runEveryVerb(place: Omit<Workload, 'steps'>): Promise<void> {
  const doing = begin(place);
  for (const limit of everyLimit) {
    for (const reserve of [undefined, { ttlMs: 20, onExpiry: 'keep' as const }]) {
      await ask(doing, [questionOf(doing, [boundTo(limit, 'all', 1)], { reserve })]);
    }
  }
  const all = everyLimit.map((limit) => boundTo(limit, 'together', 1));
  await ask(doing, [questionOf(doing, all, { ledgerLabel: label, refundable: true })]);
  await ask(doing, [
    questionOf(
      doing,
      all.map((bound) => ({ ...bound, cost: 0 })),
    ),
  ]);
  for (const verb of verbs) for (let round = 0; round < 3; round += 1) await verb(doing);
}

const verbs: readonly ((doing: Doing) => Promise<unknown>)[] = [
  (doing) => ask(doing, [randomQuestion(doing)]),
  (doing) => ask(doing, [randomQuestion(doing)]),
  (doing) => ask(doing, [randomQuestion(doing)]),
  (doing) =>
    ask(
      doing,
      Array.from({ length: 4 }, () => randomQuestion(doing)),
    ),
  (doing) => ask(doing, [randomQuestion(doing)], snapshotOf(doing)),
  async ({ engine, tenant, random, reservations }) => {
    const reservationId = pick(random, reservations) ?? 'never-made';
    const requests = Math.floor(random() * 5);
    await engine.settle(tenant, { reservationId, costs: random() < 0.5 ? {} : { requests } });
  },
  async ({ engine, tenant, random, charged }) => {
    const one = pick(random, charged);
    if (!one) return;
    const { answer, question } = one;
    const id = answer.replayOf ?? question.id;
    await engine.refund(tenant, { id, chargedAtUs: answer.nowUs, limits: question.limits });
  },
  async ({ engine, tenant, random, charged }) => {
    const id = pick(random, charged)?.question.id ?? 'never-made';
    await engine.refundCharge(tenant, { id, costs: random() < 0.5 ? null : { requests: 1 } });
  },
  async ({ engine, tenant, random, charged }) => {
    const question = pick(random, charged)?.question;
    if (question) await engine.abandon(tenant, question);
  },
  async ({ engine, tenant, random, tickets }) => {
    const ticket = pick(random, tickets);
    if (ticket !== undefined) await engine.release(tenant, ticket);
  },
  async ({ engine, tenant, random, tickets }) => {
    const ticket = pick(random, tickets);
    if (ticket !== undefined) await engine.heartbeat(tenant, { ticket, ttlMs: 30 });
  },
  async ({ engine, tenant, random, reservations }) => {
    const reservationId = pick(random, reservations) ?? 'never-made';
    await engine.heartbeat(tenant, { reservationId, ttlMs: 30 });
  },
  (doing) => doing.engine.inspect(doing.tenant, randomLimits(doing)),
  (doing) => doing.engine.reset(doing.tenant, randomLimits(doing)),
  (doing) => doing.engine.unblock(doing.tenant, randomLimits(doing)),
  async ({ engine, tenant, random }) => {
    const bound = boundTo(pick(random, quotas), 'seeded', 0);
    const { numbers } = bound.limit;
    if (numbers.algorithm !== 'quota') return;
    const { current } = periodsAround(numbers.calendar, Date.now() * 1000);
    const counter = engine.counterName(bound);
    const { global } = bound.limit;
    const used = 1 + Math.floor(random() * 60);
    await engine.seed(tenant, [{ counter, global, period: current, used }]);
  },
  ({ engine, tenant, random }) =>
    engine.publishEpoch(tenant, { tenant: Math.floor(random() * 9), shared: 3 }),
  ({ engine, tenant, random }) => {
    const counts = [{ minute: 7, outcome: 'blocked', label, count: 2 }] as const;
    return engine.record(tenant, { writer: 'node', number: Math.floor(random() * 9), counts });
  },
  async (doing) => {
    doing.batches += 1;
    await doing.engine.takeLedger(doing.tenant, doing.batches);
  },
  ({ engine, tenant, batches }) => engine.dropLedger(tenant, batches),
  ({ engine, tenant, batches }) => engine.hasLedger(tenant, batches),
  // Holds and slots run out by the server's clock: let some.
  ({ random }) => sleep(random() * 15),
];

const quotas = everyLimit.filter(({ numbers }) => numbers.algorithm === 'quota');

async function ask(
  { engine, tenant, charged, tickets, reservations }: Doing,
  questions: readonly Question[],
  snapshot?: DecideCall['snapshot'],
): Promise<void> {
  const call = { tenant, questions };
  const result = await engine.decide(snapshot ? { ...call, snapshot } : call);
  if (result.kind !== 'answered') return;
  for (const [at, answer] of result.answers.entries()) {
    const question = questions[at];
    if (!question || answer.kind !== 'decided' || !answer.allowed) continue;
    charged.push({ answer, question });
    if (answer.ticket !== null) tickets.push(answer.ticket);
    if (answer.reservation) reservations.push(answer.reservation.id);
  }
}

function randomQuestion(doing: Doing): Question {
  const { random } = doing;
  const limits = randomLimits(doing);
  const key = `idempotent-${Math.floor(random() * 30)}`;
  const fingerprint = pick(random, ['one', 'another']);
  const onExpiry = pick(random, ['refund', 'keep'] as const);
  const ttlMs = 1 + Math.floor(random() * 40);
  return questionOf(doing, limits, {
    ledgerLabel: random() < 0.3 ? label : undefined,
    idempotency:
      random() < 0.3 ? { scope: 'a-subject', key, fingerprint, ttlMs: 60_000 } : undefined,
    reserve: random() < 0.3 ? { ttlMs, onExpiry } : undefined,
    refundable: random() < 0.4,
  });
}

function questionOf(
  doing: Doing,
  limits: readonly BoundLimit[],
  more: Partial<Question> = {},
): Question {
  doing.asked += 1;
  const peek = limits.every(({ cost }) => cost === 0);
  return { id: `q-${doing.asked}`, limits, peek, ...more };
}

function randomLimits({ random }: Doing): BoundLimit[] {
  const count = 1 + Math.floor(random() * 5);
  const chosen = new Set(Array.from({ length: count }, () => pick(random, everyLimit)));
  const who = `subject-${Math.floor(random() * 4)}`;
  return [...chosen].map((limit) => boundTo(limit, who, Math.floor(random() * 4)));
}

function boundTo(limit: Limit, who: string, cost: number): BoundLimit {
  return { limit, parts: [who, 'a-resource'], cost };
}

function snapshotOf({ random }: Doing) {
  const epoch = { tenant: Math.floor(random() * 9), shared: 3 };
  return { epoch, confirmed: random() < 0.7 };
}
