import { parseProxies } from '../../address/index.ts';
import { InvalidInput } from '../../core/errors.ts';
import { describe, parseWhole } from '../../core/numbers.ts';
import { oneOf, refuseUnknownFields, requireObject } from '../../core/parse.ts';
import { requireHeaderOptions, type HeaderOptions } from '../../headers/to-headers.ts';
import { knownCallers, partReaders, type KeyRules } from './key-parts.ts';
import type { KeyParts, RateLimitOptions, RouteRules } from './options.ts';

const ruleFields = [
  'limits',
  'cost',
  'costs',
  'group',
  'mode',
  'plan',
  'skip',
  'delay',
  'reserve',
  'refundIf',
];
const sourceFields = ['limiter', 'plans', 'redis', 'secret', 'deadlineMs', 'name', 'clock'];
const ownFields = [
  'by',
  'onMissing',
  'trustProxy',
  'ipv6Prefix',
  'resource',
  'routes',
  'headers',
  'onRefused',
  'onDecision',
  'onError',
  'idempotencyKey',
  'shield',
  'holdMsMax',
  'heartbeatMs',
  'onFailure',
];
const keyFields = ['tenant', 'user', 'ip', 'route', 'attributes'];
const attributesMax = 16;

/** What a wrong word among the options does is known when the program starts, not when it is too late. */
export function requireOptions<Native>(
  options: RateLimitOptions<Native>,
  more: readonly string[],
): void {
  requireObject('options', options);
  refuseUnknownFields('', options, [...ruleFields, ...sourceFields, ...ownFields, ...more]);
  requireSource(options);
  requireRules('', options);
  for (const [resource, rules] of Object.entries(options.routes ?? {})) {
    if (rules === false) continue;
    const field = `routes["${resource}"]`;
    requireObject(field, rules);
    refuseUnknownFields(field, rules, ruleFields);
    requireRules(`${field}.`, rules);
  }
}

function requireSource<Native>(options: RateLimitOptions<Native>): void {
  const { limiter, limits, plans } = options;
  if (limiter === undefined && limits === undefined && plans === undefined) {
    throw new InvalidInput('limits', 'say what is limited: `limits`, `plans` or a `limiter`');
  }
  if (limiter === undefined) return;
  if (typeof limiter?.check !== 'function') {
    throw new InvalidInput('limiter', `must be a limiter or a client, got ${describe(limiter)}`);
  }
  for (const field of ['limits', 'redis', 'secret', 'deadlineMs', 'name', 'clock'] as const) {
    if (options[field] === undefined) continue;
    throw new InvalidInput(field, 'is said where the limiter is made; give one or the other');
  }
}

function requireRules<Native>(field: string, rules: RouteRules<Native>): void {
  const { delay, skip, refundIf, group, reserve } = rules;
  if (delay !== undefined) oneOf(`${field}delay`, delay, ['advise', 'hold']);
  requireFunction(`${field}skip`, skip);
  requireFunction(`${field}refundIf`, refundIf);
  if (group !== undefined && (typeof group !== 'string' || group === '')) {
    throw new InvalidInput(`${field}group`, `must be a name, got ${describe(group)}`);
  }
  if (reserve === undefined) return;
  requireObject(`${field}reserve`, reserve);
  refuseUnknownFields(`${field}reserve`, reserve, ['ttlMs', 'onExpiry', 'settle']);
  requireFunction(`${field}reserve.settle`, reserve.settle);
}

export function parseKeyRules<Native>(
  options: RateLimitOptions<Native>,
): Omit<KeyRules<Native>, 'onNothing'> {
  const { onMissing = 'error', trustProxy = 0, ipv6Prefix = 64 } = options;
  const by = parseBy(options.by ?? { ip: true, route: true });
  const readers = partReaders(by);
  return {
    by,
    readers,
    known: knownCallers(by, readers),
    onMissing: oneOf('onMissing', onMissing, ['error', 'ip', 'skip', 'shared']),
    trustProxy: trustProxy === 'framework' ? trustProxy : parseProxies('trustProxy', trustProxy),
    ipv6Prefix: parseWhole('ipv6Prefix', ipv6Prefix, { min: 1, max: 128 }),
  };
}

function parseBy<Native>(by: KeyParts<Native>): KeyParts<Native> {
  requireObject('by', by);
  refuseUnknownFields('by', by, keyFields);
  requireFunction('by.tenant', by.tenant);
  requireFunction('by.user', by.user);
  if (typeof by.ip !== 'boolean') requireFunction('by.ip', by.ip);
  if (by.route !== undefined && typeof by.route !== 'boolean') {
    throw new InvalidInput('by.route', 'must be true or false; what is called is `resource`');
  }
  const attributes = Object.entries(by.attributes ?? {});
  for (const [name, from] of attributes) {
    requireFunction(`by.attributes.${name}`, from);
    if (['tenant', 'user', 'ip'].includes(name) || !/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
      throw new InvalidInput(`by.attributes.${name}`, 'must have a name of its own');
    }
  }
  if (attributes.length > attributesMax) {
    throw new InvalidInput('by.attributes', `at most ${attributesMax}`);
  }
  if (!by.tenant && !by.user && !by.ip && !by.route && attributes.length === 0) {
    throw new InvalidInput(
      'by',
      'names nothing to count by; for all calls together say { route: true }',
    );
  }
  return by;
}

export function parseHeaderOptions({ headers }: RateLimitOptions<never>): HeaderOptions {
  const options = typeof headers === 'string' ? { profile: headers } : (headers ?? {});
  requireHeaderOptions(options);
  return options;
}

function requireFunction(field: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new InvalidInput(field, `must be a function, got ${describe(value)}`);
}
