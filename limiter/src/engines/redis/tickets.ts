import type {
  BoundLimit,
  Heartbeat,
  HeartbeatResult,
  ReleaseResult,
  TenantRef,
} from '../../core/engine.ts';
import type { RedisClient } from './client.ts';
import { hasSlots, wholeIn } from './decode.ts';
import { overflowBound } from './encode.ts';
import type { Keys } from './keys.ts';
import { run } from './script.ts';
import type { Scripts } from './scripts.ts';

/**
 * A ticket says itself where its slots are, so that any process gives them back in one call:
 * `id.counter~stale_after_us.counter~stale_after_us….mark`, under the tenant that holds it. The mark
 * tells one that was given out, and is over, from one that never was.
 */
type Ticket = {
  readonly id: string;
  readonly slots: readonly { readonly key: string; readonly staleAfterUs: number }[];
};

type Taken = { readonly id: string; readonly limits: readonly BoundLimit[] };

/** For the slots among the limits; null when there are none. */
export function ticketOf(keys: Keys, tenant: TenantRef, { id, limits }: Taken): string | null {
  let slots = '';
  for (const bound of limits) {
    const { numbers } = bound.limit;
    if (numbers.algorithm !== 'concurrency' || bound.cost === 0) continue;
    slots += `.${keys.counter(bound)}~${numbers.staleAfterUs}`;
  }
  return slots === '' ? null : keys.tickets.mark(tenant.id, id + slots);
}

const ticketPattern = /^([\w-]{1,64})((?:\.[\w-]{11}(?:[\w-]{22})?~\d{1,15})+)$/;
const lengthMax = 4096;

/** Null for what this tenant was never given. */
function parseTicket(keys: Keys, tenant: TenantRef, marked: string): Ticket | null {
  const text = marked.length > lengthMax ? null : keys.tickets.textIn(tenant.id, marked);
  const [, id, slots] = (text !== null && ticketPattern.exec(text)) || [];
  if (id === undefined || slots === undefined) return null;
  const parsed = slots
    .slice(1)
    .split('.')
    .map((slot) => {
      const [key = '', staleAfterUs] = slot.split('~');
      return { key, staleAfterUs: Number(staleAfterUs) };
    });
  return { id, slots: parsed };
}

export type TicketsPlace = {
  readonly client: RedisClient;
  readonly scripts: Scripts;
  readonly keys: Keys;
};

/** Gives back and renews the slots that `decide` handed out. */
export class Tickets {
  readonly #place: TicketsPlace;

  constructor(place: TicketsPlace) {
    this.#place = place;
  }

  async release(tenant: TenantRef, text: string): Promise<ReleaseResult> {
    const { client, scripts, keys } = this.#place;
    const ticket = parseTicket(keys, tenant, text);
    if (!ticket) return 'unknown';
    const names = namesOf(keys, tenant, ticket);
    const released = wholeIn(await run(client, scripts.release, names, [ticket.id]));
    return released === 1 ? 'released' : 'gone';
  }

  async renew(
    tenant: TenantRef,
    beat: Extract<Heartbeat, { ticket: string }>,
  ): Promise<HeartbeatResult> {
    const { client, scripts, keys } = this.#place;
    const ticket = parseTicket(keys, tenant, beat.ticket);
    if (!ticket) return { kind: 'unknown' };
    const { ttlMs = Number.POSITIVE_INFINITY } = beat;
    const holdUs = ticket.slots.map(({ staleAfterUs }) => Math.min(staleAfterUs, ttlMs * 1000));
    const args = [ticket.id, ...holdUs.map(String)];
    const names = namesOf(keys, tenant, ticket);
    const untilUs = wholeIn(await run(client, scripts.renewTicket, names, args));
    return untilUs > 0 ? { kind: 'held', untilUs } : { kind: 'gone' };
  }

  /** Wherever a question that nobody heard the answer to may have taken one. */
  async free(tenant: TenantRef, id: string, limits: readonly BoundLimit[]): Promise<void> {
    const { client, scripts, keys } = this.#place;
    const prefix = keys.tenant(tenant);
    const bounds = limits.filter(hasSlots).flatMap((bound) => [bound, overflowBound(bound)]);
    if (bounds.length === 0) return;
    const names = bounds.map((bound) => keys.counterOf(prefix, bound));
    await run(client, scripts.release, names, [id]);
  }
}

function namesOf(keys: Keys, tenant: TenantRef, { slots }: Ticket): string[] {
  const prefix = keys.tenant(tenant);
  return slots.map(({ key }) => prefix + key);
}
