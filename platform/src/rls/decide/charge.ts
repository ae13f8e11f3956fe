import { watched, type Counters, type Taking } from './counters.ts';
import type { Item, Seen } from './item.ts';
import { isRefused, type Vote } from './overall.ts';
import { isWindow } from './quota.ts';

export type Charging = {
  /** Those that no counter needs to be asked about. */
  readonly votes: readonly Vote[];
  /** Nobody is refused. */
  readonly isShadow: boolean;
};

/**
 * All or none: where the request is refused nothing is charged, but for what has happened already
 * and for rules in shadow, which count as if they were alone.
 */
export async function chargeAtomically(
  counters: Counters,
  items: readonly Item[],
  { votes, isShadow }: Charging,
): Promise<ReadonlyMap<Item, Seen>> {
  const looks = items.filter(({ hits }) => hits === 0);
  const charges = items.filter(({ hits }) => hits > 0);
  const seen = new Map<Item, Seen>();
  const note = (more: ReadonlyMap<Item, Seen>) => {
    for (const [item, one] of more) seen.set(item, one);
  };
  const isOverSoFar = () => isRefused([...votes, ...votesOf(seen)]);
  if (looks.length > 0) note((await counters.weigh(looks, watched, 'nothing')).seen);
  if (charges.length > 0) {
    const isOver = isRefused([...votes, ...votesOf(seen), ...charges.map(asIfItFitted)]);
    const isByItself = isShadow || !charges.some((item) => !item.isShadow && !item.isQuota);
    if (isOver && !isShadow) await lookBesides(counters, charges, note);
    else if (isByItself) note((await counters.weigh(charges, watched, 'hits')).seen);
    else await takeTogether(counters, charges, { note, seen, isOverSoFar });
  }
  const owed = charges.filter((item) => item.isAfterResponse && !seen.get(item)?.isCharged);
  await debitWhereItTells(counters, owed, seen);
  return seen;
}

/** The request is refused, whatever they say: only those in shadow count. */
async function lookBesides(
  counters: Counters,
  charges: readonly Item[],
  note: Rounds['note'],
): Promise<void> {
  const others = charges.filter((item) => !item.isShadow);
  const inShadow = charges.filter((item) => item.isShadow);
  if (others.length > 0) note((await counters.weigh(others, watched, 'nothing')).seen);
  if (inShadow.length > 0) note((await counters.weigh(inShadow, watched, 'hits')).seen);
}

type Rounds = {
  readonly note: (more: ReadonlyMap<Item, Seen>) => void;
  readonly seen: ReadonlyMap<Item, Seen>;
  readonly isOverSoFar: () => boolean;
};

/**
 * Every rule that may refuse in one question. Where only rules in quota mode do, and another one of
 * them still has room, the request passes: it is asked again without those, and again takes all or
 * nothing. Where grants do not fit it is asked again without any. Each round leaves something out.
 */
async function takeTogether(
  counters: Counters,
  charges: readonly Item[],
  { note, seen, isOverSoFar }: Rounds,
): Promise<void> {
  let asked = charges;
  let taking: Taking = 'hits and grants';
  for (;;) {
    const limitOf = ({ isShadow, limits }: Item) => (isShadow ? limits.watched : limits.enforced);
    const { isAllowed, seen: more } = await counters.weigh(asked, limitOf, taking);
    note(more);
    if (isAllowed) return;
    // Those in shadow were counted in the first round.
    asked = asked.filter((item) => !item.isShadow);
    if (taking === 'hits and grants' && isGrantTooMuch(asked, seen)) {
      taking = 'hits';
      continue;
    }
    if (isOverSoFar()) return;
    asked = asked.filter((item) => !seen.get(item)?.isOver);
  }
}

/** It may be the grant alone that does not fit. */
function isGrantTooMuch(items: readonly Item[], seen: ReadonlyMap<Item, Seen>): boolean {
  return items.some((item) => item.grant > 0 && seen.get(item)?.isOver);
}

/** As the reference service counts: each by itself, over or not. */
export async function chargeEach(
  counters: Counters,
  items: readonly Item[],
): Promise<ReadonlyMap<Item, Seen>> {
  if (items.length === 0) return new Map();
  const seen = await counters.weighEach(items, 'hits and grants');
  const again = items.filter((item) => isGrantTooMuch([item], seen));
  if (again.length > 0) {
    for (const [item, one] of await counters.weighEach(again, 'hits')) seen.set(item, one);
  }
  const owed = items.filter((item) => item.hits > 0 && !seen.get(item)?.isCharged);
  await debitWhereItTells(counters, owed, seen);
  return seen;
}

/** A window that is more than full is over until it ends, whatever else is added to it. */
async function debitWhereItTells(
  counters: Counters,
  items: readonly Item[],
  seen: ReadonlyMap<Item, Seen>,
): Promise<void> {
  const owed = items.filter((item) => {
    const { enforced } = item.limits;
    return !isWindow(enforced) || (seen.get(item)?.before ?? 0) <= enforced.size;
  });
  if (owed.length > 0) await counters.debit(owed);
}

export function votesOf(seen: ReadonlyMap<Item, Seen>): Vote[] {
  return [...seen].map(([{ isShadow, isQuota }, { isOver }]) => ({ isOver, isShadow, isQuota }));
}

function asIfItFitted({ isShadow, isQuota }: Item): Vote {
  return { isOver: false, isShadow, isQuota };
}
