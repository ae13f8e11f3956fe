import { createHash } from 'node:crypto';
import { addressGroup, findClient, parseAddress, type ParsedAddress } from '../../address/index.ts';
import type { ProxyTest } from '../../address/proxies.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe } from '../../core/numbers.ts';
import type { Facts } from './facts.ts';
import type { KeyParts, OnMissing } from './options.ts';

export type KeyRules<Native> = {
  readonly by: KeyParts<Native>;
  readonly onMissing: OnMissing;
  readonly trustProxy: ProxyTest | 'framework';
  readonly ipv6Prefix: number;
  /** Hears of parts that came as the text of nothing. */
  readonly onNothing: (part: string) => void;
};

/** Who calls, as a check says it. */
export type Caller = {
  readonly tenant: string | undefined;
  readonly subject: string;
  readonly attributes: Readonly<Record<string, string>> | undefined;
  /** Somebody, and not everybody who lacks a name. */
  readonly identified: boolean;
};

/** Everybody that no part tells from others. */
const everybody = '*';

/** Null: a part is absent, and who lacks it is not limited. */
export async function callerOf<Native>(
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Promise<Caller | null> {
  const { by, onMissing } = rules;
  const tenant = by.tenant ? textOf('tenant', await by.tenant(facts.native), rules) : undefined;
  const parts = await partsOf(facts, rules);
  const absent = tenant === null ? 'tenant' : parts.find(({ value }) => value === null)?.name;
  if (absent === undefined) return joined(tenant ?? undefined, parts);
  if (onMissing === 'skip') return null;
  const ofTenant = tenant === null ? everybody : tenant;
  if (onMissing === 'shared') return joined(ofTenant, parts);
  const address = onMissing === 'ip' ? await addressOf(facts, rules) : null;
  if (address === null) throw missing(absent);
  const present = parts.filter(({ name, value }) => name !== 'ip' && value !== null);
  return joined(ofTenant, [...present, { name: 'ip', value: address }]);
}

type Part = { readonly name: string; readonly value: string | null };

async function partsOf<Native>(facts: Facts<Native>, rules: KeyRules<Native>): Promise<Part[]> {
  const { by } = rules;
  const parts: Part[] = [];
  if (by.user)
    parts.push({ name: 'user', value: textOf('user', await by.user(facts.native), rules) });
  if (by.ip) parts.push({ name: 'ip', value: await addressOf(facts, rules) });
  for (const name in by.attributes) {
    const said = await by.attributes[name]?.(facts.native);
    parts.push({ name, value: textOf(`attributes.${name}`, said, rules) });
  }
  return parts;
}

function missing(name: string): InvalidInput {
  const part = ['tenant', 'user', 'ip'].includes(name) ? name : `attributes.${name}`;
  return new InvalidInput(
    `by.${part}`,
    'is absent for this request; run after what sets it, or say what is meant: onMissing "ip", "skip" or "shared"',
  );
}

/** Each with its name, so that no two callers read the same, whatever they are called. */
function joined(tenant: string | undefined, parts: readonly Part[]): Caller {
  if (parts.length === 0) {
    return { tenant, subject: everybody, attributes: undefined, identified: tenant !== undefined };
  }
  const subject = parts
    .map(({ name, value }) => `${name}:${escaped(value ?? everybody)}`)
    .join('+');
  const attributes = Object.fromEntries(parts.map(({ name, value }) => [name, value ?? everybody]));
  const identified = parts.every(({ value }) => value !== null);
  return { tenant, subject: bounded(subject), attributes, identified };
}

function escaped(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('+', '%2B');
}

/** What programs write when they meant that nothing is there. */
const absentWords = new Set(['undefined', 'null', 'NaN', '[object Object]']);
const lengthMax = 512;

function textOf(
  part: string,
  value: unknown,
  { onNothing }: Pick<KeyRules<never>, 'onNothing'>,
): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    throw new InvalidInput(`by.${part}`, `must give a text or a number, got ${describe(value)}`);
  }
  const text = String(value).trim();
  if (text === '') return null;
  if (!absentWords.has(text)) return bounded(text);
  onNothing(part);
  return null;
}

/** Too long, or no text at all to some: by its hash, which tells it apart as well. */
function bounded(text: string): string {
  if (text.length <= lengthMax && text.isWellFormed()) return text;
  return `sha256-${createHash('sha256').update(JSON.stringify(text)).digest('base64url')}`;
}

async function addressOf<Native>(
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Promise<string | null> {
  const { by, ipv6Prefix } = rules;
  if (typeof by.ip === 'function') {
    const said = textOf('ip', await by.ip(facts.native), rules);
    if (said === null) return null;
    const parsed = parseAddress(said);
    return parsed ? addressGroup(parsed, ipv6Prefix) : said;
  }
  const found = clientOf(facts, rules.trustProxy);
  return found && addressGroup(found, ipv6Prefix);
}

function clientOf<Native>(
  facts: Facts<Native>,
  trust: ProxyTest | 'framework',
): ParsedAddress | null {
  if (trust !== 'framework')
    return findClient(facts.peer(), facts.header('x-forwarded-for'), trust);
  const said = facts.frameworkAddress?.();
  return said === undefined ? null : parseAddress(said);
}
