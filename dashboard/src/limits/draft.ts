import type { CanonicalLimit } from 'sluice/contract';
import { algorithms, isOwn, type AlgorithmName } from './algorithms.ts';

/** A limit while it is being written: as the API spells it, and maybe wrong. */
export type LimitDraft = Readonly<Record<string, unknown>>;

/** One field set, or taken out: what says nothing is not sent. */
export function withField(draft: LimitDraft, field: string, value: unknown): LimitDraft {
  const { [field]: _before, ...rest } = draft;
  return value === undefined ? rest : { ...rest, [field]: value };
}

/** Another algorithm has other numbers; those that both have are kept, and all that is not a number. */
export function withAlgorithm(draft: LimitDraft, algorithm: AlgorithmName): LimitDraft {
  const kept = Object.entries(draft).filter(([field]) => !isOwn(field) || field === 'share_of');
  const { numbers, optional } = algorithms[algorithm];
  const own = [...Object.keys(numbers), ...optional];
  const same = own.filter((field) => draft[field] !== undefined).map((f) => [f, draft[f]]);
  const next = { ...Object.fromEntries(kept), algorithm, ...numbers, ...Object.fromEntries(same) };
  return draft['share_of'] === undefined ? next : withoutSize(next);
}

/** The size is the other limit's, by a ratio. */
export function withShare(draft: LimitDraft, share: unknown): LimitDraft {
  if (share !== undefined) return { ...withoutSize(draft), share_of: share };
  const { share_of: _share, ...rest } = draft;
  return { ...algorithms[algorithmOf(draft)].numbers, ...rest };
}

function withoutSize(draft: LimitDraft): LimitDraft {
  const { size } = algorithms[algorithmOf(draft)];
  return withField(draft, size, undefined);
}

/** What a hand-written draft calls something else is taken for the default until it is put right. */
export function algorithmOf(draft: LimitDraft): AlgorithmName {
  const { algorithm } = draft;
  if (algorithm === 'sliding_window') return 'sliding_window_log';
  return typeof algorithm === 'string' && algorithm in algorithms
    ? (algorithm as AlgorithmName)
    : 'token_bucket';
}

export function nameOf(draft: LimitDraft): string {
  const { name } = draft;
  return typeof name === 'string' && name !== '' ? name : algorithmOf(draft);
}

/** To begin with: right as it is, under a name that is free. */
export function newLimit(others: readonly LimitDraft[]): LimitDraft {
  const taken = new Set(others.map(nameOf));
  let number = 1;
  let name = 'requests';
  while (taken.has(name)) name = `requests-${(number += 1)}`;
  return {
    name,
    algorithm: 'sliding_window_counter',
    ...algorithms.sliding_window_counter.numbers,
    per: ['tenant'],
  };
}

/** The limits of something that may have been written by hand. */
export function limitsIn(draft: { readonly limits?: unknown }): readonly LimitDraft[] {
  const { limits } = draft;
  return Array.isArray(limits) ? limits.map((limit: unknown) => recordOf(limit)) : [];
}

export function recordOf(value: unknown): LimitDraft {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as LimitDraft)
    : {};
}

export function draftsOf(limits: readonly CanonicalLimit[]): readonly LimitDraft[] {
  return limits.map((limit) => ({ ...limit }));
}
