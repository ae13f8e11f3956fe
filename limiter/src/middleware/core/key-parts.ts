import { createHash } from 'node:crypto';
import { addressGroup, findClient, parseAddress, type ParsedAddress } from '../../address/index.ts';
import type { ProxyTest } from '../../address/proxies.ts';
import { InvalidInput } from '../../core/errors.ts';
import { inOnePiece } from '../../core/in-one-piece.ts';
import { listOf } from '../../core/list.ts';
import { describe } from '../../core/numbers.ts';
import { RecentMap } from '../../core/recent-map.ts';
import { Regular } from '../../core/regular.ts';
import type { Facts } from './facts.ts';
import { after, isPromise, type Maybe } from './maybe.ts';
import type { KeyParts, OnMissing, PartValue } from './options.ts';

export type KeyRules<Native> = {
  readonly by: KeyParts<Native>;
  readonly readers: readonly PartReader<Native>[];
  /** Who called lately, where one part alone tells: by what that part came as. */
  readonly known: RecentMap<Caller> | null;
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
  /** Somebody, and not everybody who lacks a name. */
  readonly identified: boolean;
  readonly parts: readonly Part[];
};

/** One who is known, and so comes again. */
class KnownCaller extends Regular implements Caller {
  readonly identified: boolean;
  readonly parts: readonly Part[];

  constructor({ tenant, subject, identified, parts }: Caller) {
    super(inOnePiece(subject), tenant);
    this.identified = identified;
    this.parts = parts;
  }
}

/** Everybody that no part tells from others. */
const everybody = '*';

/** What is read of every request, in its order. */
export function partReaders<Native>({ user, ip, attributes }: KeyParts<Native>) {
  const readers: PartReader<Native>[] = [];
  if (user) readers.push(partReader('user', 'user', user));
  if (ip) readers.push({ name: 'ip', part: 'ip', from: null, read: addressOf });
  for (const [name, from] of Object.entries(attributes ?? {})) {
    readers.push(partReader(name, `attributes.${name}`, from));
  }
  return readers;
}

const knownMax = 10_000;
const knownLengthMax = 200;

/** Most callers come again, and are made of the same text then. */
export function knownCallers<Native>(
  { tenant }: KeyParts<Native>,
  readers: readonly PartReader<Native>[],
): RecentMap<Caller> | null {
  const isAlone = !tenant && readers.length === 1 && readers[0]?.from;
  return isAlone ? new RecentMap(knownMax) : null;
}

export type PartReader<Native> = {
  readonly name: string;
  /** As it is called among the options. */
  readonly part: string;
  /** The function of the options, where it is one that says whatever there is to know. */
  readonly from: ((request: Native) => Maybe<PartValue>) | null;
  readonly read: (facts: Facts<Native>, rules: KeyRules<Native>) => Maybe<string | null>;
};

function partReader<Native>(
  name: string,
  part: string,
  from: (request: Native) => Maybe<PartValue>,
): PartReader<Native> {
  return {
    name,
    part,
    from,
    read({ native }, rules) {
      const value = from(native);
      if (!isPromise(value)) return textOf(part, value, rules);
      return Promise.resolve(value).then((said) => textOf(part, said, rules));
    },
  };
}

type Part = { readonly name: string; readonly value: string | null };

/** Null: a part is absent, and who lacks it is not limited. */
export function callerOf<Native>(
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Maybe<Caller | null> {
  const { tenant } = rules.by;
  if (rules.known) return knownCaller(facts, rules, rules.known);
  if (!tenant) return callerIn(undefined, facts, rules);
  return after(tenant(facts.native), (said) =>
    callerIn(textOf('tenant', said, rules), facts, rules),
  );
}

function knownCaller<Native>(
  facts: Facts<Native>,
  rules: KeyRules<Native>,
  known: RecentMap<Caller>,
): Maybe<Caller | null> {
  const { name, part, from } = rules.readers[0] as PartReader<Native>;
  const said = from?.(facts.native);
  const before = typeof said === 'string' ? known.get(said) : undefined;
  if (before) return before;
  return after(said, (value) => {
    const text = textOf(part, value, rules);
    const caller = whole(undefined, [{ name, value: text }], facts, rules);
    const isKept = typeof value === 'string' && value.length <= knownLengthMax && text !== null;
    if (!isKept || !caller || isPromise(caller)) return caller;
    const kept = new KnownCaller(caller);
    known.set(value, kept);
    return kept;
  });
}

function callerIn<Native>(
  tenant: string | null | undefined,
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Maybe<Caller | null> {
  const parts = partsOf(facts, rules, listOf<Part>(rules.readers.length), 0);
  if (!isPromise(parts)) return whole(tenant, parts, facts, rules);
  return parts.then((read) => whole(tenant, read, facts, rules));
}

/** One after the other: goes on from those that were read before. */
function partsOf<Native>(
  facts: Facts<Native>,
  rules: KeyRules<Native>,
  parts: Part[],
  from: number,
): Maybe<readonly Part[]> {
  for (let at = from; at < parts.length; at += 1) {
    const { name, read } = rules.readers[at] as PartReader<Native>;
    const value = read(facts, rules);
    if (isPromise(value)) {
      return value.then((said) => {
        parts[at] = { name, value: said };
        return partsOf(facts, rules, parts, at + 1);
      });
    }
    parts[at] = { name, value };
  }
  return parts;
}

function whole<Native>(
  tenant: string | null | undefined,
  parts: readonly Part[],
  facts: Facts<Native>,
  rules: KeyRules<Native>,
): Maybe<Caller | null> {
  const { onMissing } = rules;
  const absent = tenant === null ? 'tenant' : absentOf(parts);
  if (absent === undefined) return joined(tenant ?? undefined, parts);
  if (onMissing === 'skip') return null;
  const ofTenant = tenant === null ? everybody : tenant;
  if (onMissing === 'shared') return joined(ofTenant, parts);
  return after(onMissing === 'ip' ? addressOf(facts, rules) : null, (address) => {
    if (address === null) throw missing(absent);
    const present = parts.filter(({ name, value }) => name !== 'ip' && value !== null);
    return joined(ofTenant, [...present, { name: 'ip', value: address }]);
  });
}

function absentOf(parts: readonly Part[]): string | undefined {
  for (const { name, value } of parts) if (value === null) return name;
  return undefined;
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
    return { tenant, subject: everybody, identified: tenant !== undefined, parts };
  }
  let subject = '';
  let identified = true;
  for (const { name, value } of parts) {
    if (value === null) identified = false;
    const named = `${name}:${escaped(value ?? everybody)}`;
    subject = subject === '' ? named : `${subject}+${named}`;
  }
  // Its parts are well-formed each, and so it is.
  if (subject.length > lengthMax) subject = hashed(subject);
  return { tenant, subject, identified, parts };
}

/** What is known of a caller, by name; undefined where that is nothing. */
export function attributesOf({ parts }: Caller): Readonly<Record<string, string>> | undefined {
  if (parts.length === 0) return undefined;
  return Object.fromEntries(parts.map(({ name, value }) => [name, value ?? everybody]));
}

function escaped(value: string): string {
  if (!value.includes('%') && !value.includes('+')) return value;
  return value.replaceAll('%', '%25').replaceAll('+', '%2B');
}

/** What programs write when they meant that nothing is there. */
function isNothing(text: string): boolean {
  return text === 'undefined' || text === 'null' || text === 'NaN' || text === '[object Object]';
}

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
  if (!isNothing(text)) return bounded(text);
  onNothing(part);
  return null;
}

/** Too long, or no text at all to some: by its hash, which tells it apart as well. */
function bounded(text: string): string {
  return text.length <= lengthMax && text.isWellFormed() ? text : hashed(text);
}

function hashed(text: string): string {
  return `sha256-${createHash('sha256').update(JSON.stringify(text)).digest('base64url')}`;
}

function addressOf<Native>(facts: Facts<Native>, rules: KeyRules<Native>): Maybe<string | null> {
  const { by, ipv6Prefix } = rules;
  if (typeof by.ip === 'function') {
    return after(by.ip(facts.native), (value) => {
      const said = textOf('ip', value, rules);
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
