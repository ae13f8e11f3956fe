import { planFromWire, type WirePlan } from 'sluice/contract';
import { InvalidInput } from 'sluice/core';
import type { Rule } from './config/rule.ts';
import type { Descriptor, Level, RlsConfig } from './config/tree.ts';
import { unitSeconds } from './decide/rule-limits.ts';

/** A domain as a plan, or why a plan can't say the same. */
export type Converted =
  | { readonly domain: string; readonly plan: Omit<WirePlan, 'tenant_id'> }
  | { readonly domain: string; readonly problem: string };

/**
 * For who wants a tenant instead of a file. A plan's limits all apply where their attributes are
 * there, while of a file's rules one does: only what means the same either way is converted.
 */
export function plansOf(config: RlsConfig): readonly Converted[] {
  return [...config].map(([domain, root]) => {
    try {
      const limits = limitsIn(root, []);
      const { tenant_id: _all, ...plan } = planFromWire({ tenant_id: null, name: domain, limits });
      return { domain, plan };
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return { domain, problem: error.message };
    }
  });
}

type Path = readonly Descriptor[];

function limitsIn(level: Level, above: Path): object[] {
  const all = [...level.anyValue.values()];
  for (const byValue of level.exact.values()) all.push(...byValue.values());
  return all.flatMap((descriptor) => {
    const path = [...above, descriptor];
    const where = path.map(({ key, value }) => (value === '' ? key : `${key}_${value}`)).join('.');
    const refuse = (problem: string) => new InvalidInput(where, problem);
    if (descriptor.wildcard) throw refuse('a plan has no wildcards');
    if (descriptor.value === '' && level.exact.has(descriptor.key)) {
      throw refuse(
        'has values with rules of their own, beside which a limit of a plan would count',
      );
    }
    const { rule, children } = descriptor;
    if (rule && children) throw refuse('has rules below it, beside which it would count in a plan');
    if (children) return limitsIn(children, path);
    return rule ? [limitOf(rule, path, refuse)] : [];
  });
}

function limitOf(rule: Rule, path: Path, refuse: (problem: string) => Error): object {
  if (rule.replaces.length > 0 || rule.isQuota || rule.isAfterResponse || rule.grant) {
    throw refuse('a plan has no replaces, no quota_mode, no charging and no grant');
  }
  const per = path.filter(({ value }) => value === '').map(({ key }) => partOf(key));
  const fixed = path.filter(({ value }) => value !== '');
  const isCheck = ({ key }: Descriptor) => key === 'subject' || key === 'resource';
  if (fixed.some(isCheck)) throw refuse('subject and resource have no values in a plan');
  const when = Object.fromEntries(fixed.map(({ key, value }) => [`attributes.${key}`, [value]]));
  return {
    name: nameOf(rule, path),
    ...numbersOf(rule, refuse),
    per: ['tenant', ...per],
    // Who asks about something else is not meant.
    on_missing: 'skip',
    ...(fixed.length > 0 && { when }),
    ...(rule.isShadow && { mode: 'shadow' }),
  };
}

function numbersOf({ amount }: Rule, refuse: (problem: string) => Error): object {
  if (amount.kind === 'algorithm') return amount.wire;
  if (amount.kind === 'unlimited') throw refuse('a plan has no unlimited rules; leave it out');
  const { requestsPerUnit: limit, unit } = amount;
  const period = { WEEK: 'week', MONTH: 'month', YEAR: 'year' }[unit as string];
  if (period) return { algorithm: 'quota', limit, period };
  return { algorithm: 'fixed_window', limit, window_seconds: unitSeconds[unit] };
}

function partOf(key: string): string {
  return key === 'subject' || key === 'resource' ? key : `attributes.${key}`;
}

/** Names in a plan have a narrower alphabet. */
function nameOf({ name }: Rule, path: Path): string {
  const text = name ?? path.map(({ key, value }) => (value ? `${key}.${value}` : key)).join('.');
  return text.replaceAll(/[^A-Za-z0-9_.-]/g, '-').slice(0, 64);
}
