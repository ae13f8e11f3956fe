import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import { isUnavailable, type Tables } from '../../database/index.ts';
import type { LimitRows } from './collector.ts';
import { shareErasures } from './erasures.ts';
import type { HourRow, SubjectRow } from './hour-tally.ts';
import type { SubjectNames } from './subject-names.ts';

export type Source = {
  take(): readonly LimitRows[];
  erase(tenantId: string, subject: string): void;
};

export type WriterOptions = {
  readonly db: Kysely<Tables>;
  readonly source: Source;
  readonly names: SubjectNames;
  /** The database is there and will not have it: it was given up. */
  readonly onLost?: (error: unknown) => void;
};

type Batch = {
  readonly number: number;
  rows: readonly LimitRows[];
  /** Since when its subjects may have been seen. */
  readonly sinceMs: number;
  refusals: number;
};

const rowsAtOnce = 2000;
const refusalsMax = 5;

/**
 * Adds what was collected to the database. A batch has a number, written with it: one whose end was
 * never heard of is sent again under the same number, and counts once. Until it is written the next
 * one is not taken, so that what waits stays what a node may follow.
 */
export class RolloutWriter {
  readonly #options: WriterOptions;
  readonly #node = randomUUID();
  #batch: Batch | null = null;
  #written = 0;
  #takenAtMs = performance.now();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Throws when it could not be written; nothing is lost by that. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#flush());
  }

  /** What waits here is forgotten while nothing is being written. */
  erase(tenantId: string, subject: string): Promise<void> {
    return this.#inTurn(async () => {
      const { source, names } = this.#options;
      source.erase(tenantId, subject);
      if (!this.#batch) return;
      const stored = names.stored(subject);
      this.#batch.rows = this.#batch.rows.map((limit) =>
        limit.tenantId === tenantId ? without(limit, (row) => row.subject === stored) : limit,
      );
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #flush(): Promise<void> {
    // What was left from the last time comes first, and does not keep what came since from being written.
    if (this.#batch) await this.#write(this.#batch);
    const sinceMs = this.#takenAtMs;
    this.#takenAtMs = performance.now();
    const rows = this.#options.source.take();
    if (rows.length === 0) return;
    this.#batch = { number: this.#written + 1, rows, sinceMs, refusals: 0 };
    await this.#write(this.#batch);
  }

  async #write(batch: Batch): Promise<void> {
    const { db, names, onLost } = this.#options;
    try {
      await db.transaction().execute((tx) => writeOnce(tx, { node: this.#node, batch, names }));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      batch.refusals += 1;
      if (batch.refusals < refusalsMax) throw error;
      onLost?.(error);
    }
    this.#written = batch.number;
    this.#batch = null;
  }
}

async function writeOnce(
  tx: Transaction<Tables>,
  {
    node,
    batch,
    names,
  }: { readonly node: string; readonly batch: Batch; readonly names: SubjectNames },
): Promise<void> {
  const { rows: isNew } = await sql`
    INSERT INTO rollout_batches (node, batch) VALUES (${node}, ${batch.number})
    ON CONFLICT (node) DO UPDATE SET batch = excluded.batch, written_at = now()
    WHERE rollout_batches.batch < excluded.batch
    RETURNING batch`.execute(tx);
  if (isNew.length === 0) return;
  const erased = await shareErasures(tx, performance.now() - batch.sinceMs);
  const there = await keepTenants(tx, new Set(batch.rows.map(({ tenantId }) => tenantId)));
  const rows = batch.rows
    .filter(({ tenantId }) => there.has(tenantId))
    .map((limit) => leaveOut(limit, erased, names))
    .toSorted(byKey);
  if (rows.length === 0) return;
  const ids = await writeLimits(tx, rows);
  const hours = rows.flatMap((limit, at) =>
    limit.hours.map((hour) => ({ limitId: ids[at] as number, ...hour })),
  );
  for (const some of chunksOf(hours.toSorted(byHour))) await writeHours(tx, some);
  for (const hour of hours) if (hour.thinned) await dropGivenUp(tx, hour);
  const subjects = hours.toSorted(byHour).flatMap(subjectsOf);
  for (const some of chunksOf(subjects)) await writeSubjects(tx, some);
}

/** A tenant that is there stays until all is written. */
async function keepTenants(
  tx: Transaction<Tables>,
  ids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM tenants WHERE id = ANY(${[...ids]}::uuid[]) ORDER BY id FOR KEY SHARE`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

function leaveOut(limit: LimitRows, erased: ReadonlySet<string>, names: SubjectNames): LimitRows {
  if (erased.size === 0) return limit;
  return without(limit, ({ subject }) => erased.has(names.hashOf(limit.tenantId, subject)));
}

function without(limit: LimitRows, isOut: (row: SubjectRow) => boolean): LimitRows {
  const hours = limit.hours.map((hour) => ({
    ...hour,
    subjects: hour.subjects.filter((row) => !isOut(row)),
  }));
  return { ...limit, hours };
}

/** Returns their ids in the order of the limits. */
async function writeLimits(
  tx: Transaction<Tables>,
  limits: readonly LimitRows[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number; key: string }>`
    INSERT INTO rollout_limits (tenant_id, limit_name, defined_by, algorithm, size)
    SELECT * FROM unnest(${limits.map(({ tenantId }) => tenantId)}::uuid[],
      ${limits.map(({ name }) => name)}::text[], ${limits.map(({ definedBy }) => definedBy)}::text[],
      ${limits.map(({ algorithm }) => algorithm)}::text[], ${limits.map(({ size }) => size)}::bigint[])
    ON CONFLICT (tenant_id, limit_name, defined_by)
    DO UPDATE SET algorithm = excluded.algorithm, size = excluded.size
    RETURNING id, tenant_id || ' ' || defined_by || ' ' || limit_name AS key`.execute(tx);
  const byKeys = new Map(rows.map(({ id, key }) => [key, id]));
  return limits.map((limit) => byKeys.get(keyOf(limit)) as number);
}

type Hour = HourRow & { readonly limitId: number };

async function writeHours(tx: Transaction<Tables>, hours: readonly Hour[]): Promise<void> {
  await sql`
    INSERT INTO rollout_hours (limit_id, stage, hour, calls, would_refuse, below)
    SELECT * FROM unnest(${hours.map(({ limitId }) => limitId)}::bigint[],
      ${hours.map(({ stage }) => stage)}::text[],
      ${hours.map(({ hourMs }) => new Date(hourMs))}::timestamptz[],
      ${hours.map(({ calls }) => calls)}::bigint[],
      ${hours.map(({ wouldRefuse }) => wouldRefuse)}::bigint[],
      ${hours.map(({ below }) => below)}::bigint[])
    ON CONFLICT (limit_id, stage, hour) DO UPDATE SET
      calls = rollout_hours.calls + excluded.calls,
      would_refuse = rollout_hours.would_refuse + excluded.would_refuse,
      below = least(rollout_hours.below, excluded.below)`.execute(tx);
}

async function dropGivenUp(
  tx: Transaction<Tables>,
  { limitId, stage, hourMs, below }: Hour,
): Promise<void> {
  await tx
    .deleteFrom('rollout_subjects')
    .where('limit_id', '=', limitId)
    .where('stage', '=', stage)
    .where('hour', '=', new Date(hourMs))
    .where('point', '>=', below)
    .execute();
}

type Subject = SubjectRow & Pick<Hour, 'limitId' | 'stage' | 'hourMs'>;

function subjectsOf({ limitId, stage, hourMs, subjects }: Hour): Subject[] {
  return subjects
    .map((row) => ({ limitId, stage, hourMs, ...row }))
    .toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
}

async function writeSubjects(tx: Transaction<Tables>, rows: readonly Subject[]): Promise<void> {
  await sql`
    INSERT INTO rollout_subjects
      (limit_id, stage, hour, subject, point, calls, would_refuse, peak, extra, extra_most)
    SELECT * FROM unnest(${rows.map(({ limitId }) => limitId)}::bigint[],
      ${rows.map(({ stage }) => stage)}::text[],
      ${rows.map(({ hourMs }) => new Date(hourMs))}::timestamptz[],
      ${rows.map(({ subject }) => subject)}::text[],
      ${rows.map(({ point }) => point)}::bigint[],
      ${rows.map(({ calls }) => calls)}::bigint[],
      ${rows.map(({ wouldRefuse }) => wouldRefuse)}::bigint[],
      ${rows.map(({ peak }) => peak)}::bigint[],
      ${rows.map(({ extra }) => extra)}::bigint[],
      ${rows.map(({ extraMost }) => extraMost)}::bigint[])
    ON CONFLICT (limit_id, stage, hour, subject) DO UPDATE SET
      calls = rollout_subjects.calls + excluded.calls,
      would_refuse = rollout_subjects.would_refuse + excluded.would_refuse,
      peak = greatest(rollout_subjects.peak, excluded.peak),
      extra = rollout_subjects.extra + excluded.extra,
      extra_most = greatest(rollout_subjects.extra_most, excluded.extra_most)`.execute(tx);
}

function keyOf({ tenantId, definedBy, name }: LimitRows): string {
  return `${tenantId} ${definedBy} ${name}`;
}

/** In one order on all nodes, so that none waits for another that waits for it. */
function byKey(a: LimitRows, b: LimitRows): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

function byHour(a: Hour, b: Hour): number {
  return a.limitId - b.limitId || a.hourMs - b.hourMs || (a.stage < b.stage ? -1 : 1);
}

function* chunksOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce);
}
