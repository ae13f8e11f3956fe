import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import { signatureOf } from './secret.ts';
import { send } from './send.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** After each failure longer; after the last it is given up. */
const retryWaitsMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  hour,
  6 * hour,
  24 * hour,
] as const;
const jitter = 0.2;

const atOnceMax = 50;
/** Of one webhook: whoever is slow keeps nobody else waiting. */
const atOncePerWebhookMax = 5;
const keptDays = 30;
const problemLengthMax = 200;
/** Whoever has moved away says so once. */
const goneStatus = 410;

export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

export type DelivererOptions = {
  readonly db: Kysely<Tables>;
  /** Under it the webhooks' own secrets are derived. */
  readonly secret: string;
  readonly allowPrivate: boolean;
  readonly onOutcome?: (outcome: DeliveryOutcome) => void;
  /** What became of a delivery could not be written: it is tried again. */
  readonly onLost?: (error: unknown) => void;
  readonly timeoutMs?: number;
  /** How long a node that took a delivery has it for itself; longer than sending takes. */
  readonly leaseMs?: number;
  readonly waitsMs?: readonly number[];
};

type Due = {
  readonly id: string;
  readonly webhook_id: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly url: string;
  readonly secret_number: number;
};

/**
 * Sends what waits to be told. A delivery is taken by moving its next turn ahead, so that no other
 * node takes it; of a node that dies with it another takes it when that turn has come.
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #waitsMs: readonly number[];
  readonly #timeoutMs: number;
  readonly #sending = new Set<Promise<void>>();

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#waitsMs = options.waitsMs ?? retryWaitsMs;
    this.#timeoutMs = options.timeoutMs ?? 10 * second;
  }

  /** Takes what is due and begins to send it; returns how many those are. */
  async deliver(): Promise<number> {
    const room = atOnceMax - this.#sending.size;
    const due = room > 0 ? await this.#take(room) : [];
    for (const delivery of due) {
      const sending = this.#send(delivery).finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
    return due.length;
  }

  /** Until nothing is being sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Deletes what was over a month ago. Returns how many rows. */
  async removeOld(): Promise<number> {
    const { rows } = await sql`
      DELETE FROM webhook_deliveries
      WHERE coalesce(delivered_at, failed_at) < now() - make_interval(days => ${keptDays})
      RETURNING id`.execute(this.#options.db);
    return rows.length;
  }

  async #take(room: number): Promise<readonly Due[]> {
    const leaseMs = this.#options.leaseMs ?? 60 * second;
    const { rows } = await sql<Due>`
      WITH due AS (
        SELECT d.id FROM webhook_deliveries d
        WHERE d.id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY webhook_id ORDER BY next_at, id) AS place
            FROM webhook_deliveries
            WHERE delivered_at IS NULL AND failed_at IS NULL AND next_at <= now()
          ) AS waiting WHERE place <= ${atOncePerWebhookMax}
        ) AND d.delivered_at IS NULL AND d.failed_at IS NULL AND d.next_at <= now()
        ORDER BY d.next_at LIMIT ${room} FOR UPDATE SKIP LOCKED
      )
      UPDATE webhook_deliveries d
      SET attempts = d.attempts + 1, next_at = now() + ${interval(leaseMs)}
      FROM due, webhooks w WHERE d.id = due.id AND w.id = d.webhook_id
      RETURNING d.id, d.webhook_id, d.payload, d.attempts, w.url, w.secret_number
    `.execute(this.#options.db);
    return rows;
  }

  async #send(delivery: Due): Promise<void> {
    try {
      const problem = await this.#problemOf(delivery);
      const outcome = await this.#note(delivery, problem);
      this.#options.onOutcome?.(outcome);
    } catch (error) {
      this.#options.onLost?.(error);
    }
  }

  /** Null when it was taken. */
  async #problemOf({ id, webhook_id: webhookId, payload, ...due }: Due): Promise<Problem | null> {
    const body = JSON.stringify(payload);
    const timestamp = Math.floor(Date.now() / 1000);
    const { secret, allowPrivate } = this.#options;
    const webhook = { id: webhookId, secretNumber: due.secret_number };
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'sluice',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, webhook, { id, timestamp, body }),
    };
    try {
      const timeoutMs = this.#timeoutMs;
      const status = await send({ url: due.url, headers, body }, { timeoutMs, allowPrivate });
      if (status >= 200 && status < 300) return null;
      return { text: `answered ${status}${hintOn(status)}`, isGone: status === goneStatus };
    } catch (error) {
      return { text: describe(error, this.#timeoutMs), isGone: false };
    }
  }

  /** Unless the lease ran out and another has it by now. */
  async #note(due: Due, problem: Problem | null): Promise<DeliveryOutcome> {
    if (!problem) {
      await this.#write(due, { delivered_at: sql<Date>`now()`, last_problem: null });
      return 'delivered';
    }
    const waitMs = this.#waitsMs[due.attempts - 1];
    const last = { last_problem: problem.text.slice(0, problemLengthMax) };
    if (problem.isGone || waitMs === undefined) {
      await this.#write(due, { ...last, failed_at: sql<Date>`now()` });
      if (problem.isGone) await this.#giveUp(due.webhook_id, last.last_problem);
      return 'failed';
    }
    const spread = 1 + jitter * (2 * Math.random() - 1);
    const nextAt = sql<Date>`now() + ${interval(waitMs * spread)}`;
    await this.#write(due, { ...last, next_at: nextAt });
    return 'retried';
  }

  async #write(
    { id, attempts }: Due,
    values: {
      readonly last_problem: string | null;
      readonly delivered_at?: RawBuilder<Date>;
      readonly failed_at?: RawBuilder<Date>;
      readonly next_at?: RawBuilder<Date>;
    },
  ): Promise<void> {
    await this.#options.db
      .updateTable('webhook_deliveries')
      .set(values)
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('delivered_at', 'is', null)
      .where('failed_at', 'is', null)
      .execute();
  }

  /** Nobody is there any more: what else waits for it need not be tried. */
  async #giveUp(webhookId: string, problem: string): Promise<void> {
    await this.#options.db
      .updateTable('webhook_deliveries')
      .set({ failed_at: sql<Date>`now()`, last_problem: problem })
      .where('webhook_id', '=', webhookId)
      .where('delivered_at', 'is', null)
      .where('failed_at', 'is', null)
      .execute();
  }
}

type Problem = { readonly text: string; readonly isGone: boolean };

function hintOn(status: number): string {
  return status >= 300 && status < 400 ? ', and redirects are not followed' : '';
}

/** For the one whose webhook it is: what went wrong, not where in our network. */
function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `did not answer within ${timeoutMs} ms`;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code ?? error.message;
}

function interval(ms: number) {
  return sql`make_interval(secs => ${ms / 1000})`;
}
