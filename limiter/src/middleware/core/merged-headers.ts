import type { ShownLimit } from '../../core/decision.ts';
import type { DecisionView } from '../../core/limiter-port.ts';
import type { Mode } from '../../core/limit.ts';
import {
  headersOf,
  writeHeaders,
  writePassHeaders,
  type HeaderOptions,
  type HeaderTarget,
} from '../../headers/to-headers.ts';

type Fields = Record<string, string>;

/** One decision, and how the caller is told of it; null: not at all. */
export type Told = {
  readonly allowed: boolean;
  readonly decision: DecisionView;
  /** The one limit that let it in, where that is all there is to tell. */
  readonly passedBy: (ShownLimit & { readonly nowUs: number }) | null;
  readonly mode: Exclude<Mode, 'off'>;
  readonly headers: HeaderOptions | null;
};

const itemsMax = 4;

/**
 * Several decisions about one request as one set of fields: the trio of the strictest, the longest
 * wait, and the draft's items of all, closest to exhaustion first.
 */
export function mergedHeaders(told: readonly Told[]): Fields {
  const [first] = told;
  if (first && told.length === 1) return fieldsOf(first);
  const all = told
    .filter(({ headers }) => headers !== null)
    .toSorted((a, b) => strictness(a.decision) - strictness(b.decision));
  const merged: Fields = {};
  for (const fields of all.map(fieldsOf)) {
    for (const [name, value] of Object.entries(fields)) {
      const before = merged[name];
      merged[name] = before === undefined ? value : joined(name.toLowerCase(), before, value);
    }
  }
  return inOrder(merged);
}

/** Of one decision, to the response itself: most requests have one. */
export function writeTold(response: HeaderTarget, told: Told): void {
  const { headers, passedBy } = told;
  if (passedBy && headers) return writePassHeaders(response, passedBy, passedBy.nowUs, headers);
  if (isWarning(told)) return writeAll(response, fieldsOf(told));
  return headers ? writeHeaders(response, told.decision, headers) : undefined;
}

export function writeAll(response: HeaderTarget, fields: Fields): void {
  for (const name in fields) response.setHeader(name, fields[name] as string);
}

function fieldsOf(told: Told): Fields {
  const { decision, headers: options } = told;
  if (!options) return {};
  const fields = headersOf(decision, options);
  if (!isWarning(told) || options.profile === 'none') return fields;
  const spelled = (name: string) => (options.lowerCase ? name.toLowerCase() : name);
  // The call went on: there is nothing to wait for.
  delete fields[spelled('Retry-After')];
  const { blockedBy, limit } = decision;
  const name = blockedBy?.limit ?? 'limit';
  const what = limit === null ? name : `${name}: ${limit}`;
  fields[spelled('X-RateLimit-Warning')] = `${what}, exceeded, not enforced yet`;
  return fields;
}

/** It refused, and the call goes on. */
function isWarning({ allowed, mode }: Told): boolean {
  return mode === 'warn' && !allowed;
}

/** Refused before allowed, then by what is left for its size. */
function strictness({ allowed, limit, remaining }: DecisionView): number {
  if (!allowed) return -1;
  return limit === null || remaining === null ? 2 : remaining / Math.max(1, limit);
}

/** The first is the strictest, and is shown where only one can be. */
function joined(name: string, first: string, next: string): string {
  if (name === 'retry-after') return String(Math.max(Number(first), Number(next)));
  if (name === 'ratelimit' || name === 'ratelimit-policy') return `${first}, ${next}`;
  return name === 'x-ratelimit-warning' ? `${first}; ${next}` : first;
}

/** Both of the draft's lists: the same items in the same order, each name once, few. */
function inOrder(fields: Fields): Fields {
  const nameOf = (wanted: string) =>
    Object.keys(fields).find((name) => name.toLowerCase() === wanted) ?? '';
  const [policyName, stateName] = [nameOf('ratelimit-policy'), nameOf('ratelimit')];
  const policies = itemsOf(fields[policyName]);
  const states = itemsOf(fields[stateName]);
  if (policies.length === 0 || policies.length !== states.length) return fields;
  const pairs = policies.map((policy, at) => ({ policy, state: states[at] ?? '' }));
  const chosen = new Map<string, (typeof pairs)[number]>();
  for (const pair of pairs.toSorted((a, b) => leftOf(a) - leftOf(b))) {
    const [name = ''] = pair.policy.split(';', 1);
    if (!chosen.has(name) && chosen.size < itemsMax) chosen.set(name, pair);
  }
  const shown = [...chosen.values()];
  fields[policyName] = shown.map(({ policy }) => policy).join(', ');
  fields[stateName] = shown.map(({ state }) => state).join(', ');
  return fields;
}

/** Our own spelling: names of limits have no comma, and units neither. */
function itemsOf(field: string | undefined): string[] {
  return field ? field.split(', ') : [];
}

function leftOf({ policy, state }: { readonly policy: string; readonly state: string }): number {
  const size = Number(/;q=(\d+)/.exec(policy)?.[1] ?? 1);
  return Number(/;r=(\d+)/.exec(state)?.[1] ?? 0) / Math.max(1, size);
}
