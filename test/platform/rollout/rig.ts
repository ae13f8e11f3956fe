import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../../platform/src/database/index.ts';
import type { LimitRows } from '../../../platform/src/evidence/rollout/collector.ts';
import { SubjectNames } from '../../../platform/src/evidence/rollout/subject-names.ts';
import { RolloutWriter, type Source } from '../../../platform/src/evidence/rollout/writer.ts';

export const names = new SubjectNames('the secret of tests');
const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const all = 2 ** 32;

export type Seen = {
  readonly tenantId: string;
  readonly stage?: 'shadow' | 'warn';
  /** Before now, in days. */
  readonly daysAgo?: number;
  readonly below?: number;
  /** Of each subject: calls, how many of them would be refused, and what it asked for at its most. */
  readonly subjects: Readonly<
    Record<string, readonly [calls: number, refused: number, peak?: number]>
  >;
  readonly definedBy?: string;
  readonly name?: string;
};

/** As a collector hands it over. */
export function rowsOf(seen: Seen): LimitRows {
  const { tenantId, stage = 'shadow', daysAgo = 0, below = all, name = 'm' } = seen;
  const hour = Math.floor((Date.now() - daysAgo * dayMs) / hourMs) * hourMs;
  const subjects = Object.entries(seen.subjects).map(
    ([subject, [calls, wouldRefuse, peak = calls]]) => ({
      subject,
      point: names.pointOf(tenantId, subject),
      calls,
      wouldRefuse,
      peak,
      extra: 0,
      extraMost: 0,
    }),
  );
  const sum = (of: (one: (typeof subjects)[number]) => number) =>
    subjects.reduce((total, one) => total + of(one), 0);
  return {
    tenantId,
    name,
    definedBy: seen.definedBy ?? 'plan',
    algorithm: 'fixed_window',
    size: 10,
    hours: [
      {
        stage,
        hourMs: hour,
        calls: sum(({ calls }) => calls),
        wouldRefuse: sum(({ wouldRefuse }) => wouldRefuse),
        below,
        thinned: below < all,
        subjects: subjects.filter(({ point }) => point < below),
      },
    ],
  };
}

/** Hands over what a test puts into it. */
export class Rows implements Source {
  #waiting: LimitRows[] = [];

  put(...rows: readonly LimitRows[]): void {
    this.#waiting.push(...rows);
  }

  take(): readonly LimitRows[] {
    return this.#waiting.splice(0);
  }

  erase(): void {}
}

/** Written as a node writes it. */
export async function see(db: Kysely<Tables>, ...seen: readonly Seen[]): Promise<void> {
  for (const one of seen) {
    const source = new Rows();
    source.put(rowsOf(one));
    await new RolloutWriter({ db, source, names }).flush();
  }
}

export async function makeTenant(db: Kysely<Tables>, id: string): Promise<void> {
  const tenant = { id, name: 'Acme', tier: 'free', status: 'active' as const };
  await db
    .insertInto('tenants')
    .values({ ...tenant, timezone: 'UTC', billing_anchor_day: 1 })
    .execute();
}

/** As if all that was done to the tenant had been done so long ago. */
export async function age(db: Kysely<Tables>, tenantId: string, days: number): Promise<void> {
  await sql`
    UPDATE audit_entries SET at = at - make_interval(days => ${days})
    WHERE tenant_id = ${tenantId}`.execute(db);
}

/** How many of so many subjects are refused. */
export function crowd(size: number, refused: number): Seen['subjects'] {
  return Object.fromEntries(
    Array.from({ length: size }, (_, at) => [
      `user:${at}`,
      at < refused ? ([20, 5, 11 + at] as const) : ([3, 0] as const),
    ]),
  );
}

export type Totals = {
  readonly calls: number;
  readonly subjects: number;
  readonly of_subjects: number;
};

/** What the database holds of a tenant with one limit. */
export async function totalsOf(db: Kysely<Tables>, tenantId: string): Promise<Totals> {
  const { rows } = await sql<Totals>`
    SELECT (SELECT coalesce(sum(calls), 0)::bigint FROM rollout_hours WHERE limit_id = l.id) AS calls,
      (SELECT count(*) FROM rollout_subjects WHERE limit_id = l.id) AS subjects,
      (SELECT coalesce(sum(calls), 0)::bigint FROM rollout_subjects WHERE limit_id = l.id) AS of_subjects
    FROM rollout_limits l WHERE tenant_id = ${tenantId}`.execute(db);
  return rows[0] ?? { calls: 0, subjects: 0, of_subjects: 0 };
}
