import type { BlockSource, ModeSource, OverrideSource, QuotaSource } from './source.ts';

type Spell = { readonly startsAtMs?: number | null; readonly expiresAtMs: number | null };

/** From its start, if it has one, until just before its end. */
export function isInForce({ startsAtMs = null, expiresAtMs }: Spell, nowMs: number): boolean {
  return (
    (startsAtMs === null || startsAtMs <= nowMs) && (expiresAtMs === null || nowMs < expiresAtMs)
  );
}

type Timed = {
  readonly overrides?: readonly OverrideSource[];
  readonly blocks: readonly BlockSource[];
  readonly modes: readonly ModeSource[];
  readonly quota?: QuotaSource | null;
};

/** When something of this starts or ends next; never, for most. */
export function changesAtMs(
  { overrides = [], blocks, modes, quota }: Timed,
  nowMs: number,
): number {
  const moments = [
    ...overrides.flatMap(({ startsAtMs, expiresAtMs }) => [startsAtMs, expiresAtMs]),
    ...blocks.map(({ expiresAtMs }) => expiresAtMs),
    ...modes.map(({ enforceFromMs }) => enforceFromMs),
    ...(quota?.topUps ?? []).map(({ endsAtMs }) => endsAtMs),
  ];
  let next = Number.POSITIVE_INFINITY;
  for (const at of moments) if (at !== null && at > nowMs && at < next) next = at;
  return next;
}
