import type { BoundLimit } from '../../core/engine.ts';
import { InvalidInput } from '../../core/errors.ts';
import type { Keys } from './keys.ts';

/**
 * A ticket says itself where its slots are, so that any process gives them back in one call:
 * `id.counter~stale_after_us.counter~stale_after_us…`, under the tenant that holds it.
 */
export type Ticket = {
  readonly id: string;
  readonly slots: readonly { readonly key: string; readonly staleAfterUs: number }[];
};

/** For the slots among the limits; null when there are none. */
export function ticketOf(keys: Keys, limits: readonly BoundLimit[], id: string): string | null {
  let slots = '';
  for (const bound of limits) {
    const { numbers } = bound.limit;
    if (numbers.algorithm !== 'concurrency' || bound.cost === 0) continue;
    slots += `.${keys.counter(bound)}~${numbers.staleAfterUs}`;
  }
  return slots === '' ? null : id + slots;
}

const slotPattern = /^([A-Za-z0-9_-]{11}(?:[A-Za-z0-9_-]{22})?)~(\d{1,15})$/;
const lengthMax = 4096;

export function parseTicket(text: string): Ticket {
  const [id = '', ...slots] = text.length > lengthMax ? [] : text.split('.');
  const parsed = slots.map((slot) => {
    const match = slotPattern.exec(slot);
    return { key: match?.[1] ?? '', staleAfterUs: Number(match?.[2] ?? 0) };
  });
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id) || parsed.length === 0 || parsed.some(({ key }) => !key)) {
    throw new InvalidInput('ticket', 'is not one that was given out');
  }
  return { id, slots: parsed };
}
