import { createHash } from 'node:crypto';
import { addressGroup, findClient, parseAddress, type ParsedAddress } from '../../address/index.ts';
import type { ProxyTest } from '../../address/proxies.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe } from '../../core/numbers.ts';
import type { Facts } from './facts.ts';
import { after, isPromise, type Maybe } from './maybe.ts';
import type { KeyParts, OnMissing, PartValue } from './options.ts';

export type KeyRules<Native> = {
  readonly by: KeyParts<Native>;
  readonly parts: ReturnType<typeof partsOf<Native>>;
  readonly onMissing: OnMissing;
  readonly trustProxy: ProxyTest | 'framework';
  readonly ipv6Prefix: number;
};

/** Who calls, as a check says it. */
export type Caller = {
  readonly tenant: string | undefined;
  readonly subject: string;
  readonly attributes: Readonly<Record<string, string>> | undefined;
};

/** Everybody that no part tells from others. */
const everybody = '*';

/** One part of a key: its name, and how to find it out. */
type Part<Native> = {
  readonly name: string;
  readonly read: (facts: Facts<Native>, rules: KeyRules<Native>) => Maybe<string | null>;
};

/** What is read of every request, the tenant first. */
export function partsOf<Native>({ tenant, user, ip, attributes }: KeyParts<Native>) {
  const parts: Part<Native>[] = [];
  const add = (name: string, field: string, from: (request: Native) => Maybe<PartValue>) =>
    parts.push({
      name,
      read: ({ native }) => after(from(native), (value) => textOf(field, value)),
    });
  if (tenant) add('tenant', 'by.tenant', tenant);
  if (user) add('user', 'by.user', user);
  if (ip) parts.push({ name: 'ip', read: addressOf });
  for (const [name, from] of Object.entries(attributes ?? {})) {
    add(name, `by.attributes.${name}`, from);
  }
  return parts;
}

type Named = readonly (readonly [string, string | null])[];

/** Null: a part is absent, and who lacks it is not limited. */
export function callerOf<Native>(
  facts: Facts<Native>,
  rules: KeyRules<Native>,
  read: [string, string | null][] = [],
): Maybe<Caller | null> {
  for (const { name, read: readPart } of rules.parts.slice(read.length)) {
    const value = readPart(facts, rules);
    if (isPromise(value)) {
      return value.then((text) => callerOf(facts, rules, [...read, [name, text]]));
    }
    read.push([name, value]);
  }
  return calledBy(read, facts, rules);
}

function calledBy<Native>(
  read: Named,
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Maybe<Caller | null> {
  const tenant = rules.by.tenant && (read[0]?.[1] ?? null);
  const named = rules.by.tenant ? read.slice(1) : read;
  const isMissing = tenant === null || named.some(([, value]) => value === null);
  if (!isMissing) return joined(tenant, named);
  if (rules.onMissing === 'skip') return null;
  return after(filledIn(named, tenant, facts, rules), (all) =>
    joined(tenant ?? (rules.by.tenant ? everybody : undefined), all),
  );
}

/** By what was declared for it: nobody shares a counter by accident. */
function filledIn<Native>(
  named: Named,
  tenant: string | null | undefined,
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Maybe<Named> {
  const names = named.flatMap(([name, value]) => (value === null ? [name] : []));
  if (tenant === null) names.unshift('tenant');
  const { onMissing } = rules;
  if (onMissing === 'shared') return named.map(([name, value]) => [name, value ?? everybody]);
  return after(onMissing === 'ip' ? addressOf(facts, rules) : null, (address) => {
    if (address === null) throw missing(names[0] ?? 'ip');
    const present = named.filter(([name, value]) => value !== null && name !== 'ip');
    return [...present, ['ip', address] as const];
  });
}

function missing(name: string): InvalidInput {
  const part = ['tenant', 'user', 'ip'].includes(name) ? name : `attributes.${name}`;
  return new InvalidInput(
    `by.${part}`,
    'is absent for this request; run after what sets it, or say what is meant: onMissing "ip", "skip" or "shared"',
  );
}

/** Each with its name, so that no two callers read the same, whatever they are called. */
function joined(tenant: string | undefined, named: Named): Caller {
  if (named.length === 0) return { tenant, subject: everybody, attributes: undefined };
  const attributes: Record<string, string> = {};
  let subject = '';
  for (const [name, value] of named) {
    const text = value ?? everybody;
    attributes[name] = text;
    subject += `${subject === '' ? '' : '+'}${name}:${escaped(text)}`;
  }
  return { tenant, subject: bounded(subject), attributes };
}

function escaped(value: string): string {
  if (!/[%+]/.test(value)) return value;
  return value.replaceAll('%', '%25').replaceAll('+', '%2B');
}

/** What programs write when they meant that nothing is there. */
const absentWords = new Set(['', 'undefined', 'null', 'NaN', '[object Object]']);
const lengthMax = 512;

function textOf(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    throw new InvalidInput(field, `must give a text or a number, got ${describe(value)}`);
  }
  const text = String(value).trim();
  return absentWords.has(text) ? null : bounded(text);
}

/** Too long, or no text at all to some: by its hash, which tells it apart as well. */
function bounded(text: string): string {
  if (text.length <= lengthMax && text.isWellFormed()) return text;
  return `sha256-${createHash('sha256').update(JSON.stringify(text)).digest('base64url')}`;
}

function addressOf<Native>(facts: Facts<Native>, rules: KeyRules<Native>): Maybe<string | null> {
  const { by, ipv6Prefix } = rules;
  if (typeof by.ip === 'function') {
    return after(by.ip(facts.native), (value) => {
      const said = textOf('by.ip', value);
      const parsed = said === null ? null : parseAddress(said);
      return parsed ? addressGroup(parsed, ipv6Prefix) : said;
    });
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
