import { InvalidInput } from '../core/errors.ts';
import { describe, parseWhole } from '../core/numbers.ts';
import { oneOf, parseText, refuseUnknownFields, requireObject } from '../core/parse.ts';
import { Client, requireKey, type ClientOptions } from './client.ts';
import { Transport } from './transport.ts';

const known = ['url', 'apiKey', 'deadlineMs', 'onStoreFailure', 'plan', 'plans', 'fetch'];
const deadlineMsDefault = 250;

/** Make it once, ask it for every call: `createClient({ url, apiKey })`. */
export function createClient(options: ClientOptions): Client {
  requireObject('options', options);
  refuseUnknownFields('', options, known);
  const { deadlineMs = deadlineMsDefault, onStoreFailure = 'open', plan, plans = {} } = options;
  const { fetch = globalThis.fetch } = options;
  if (typeof fetch !== 'function') {
    throw new InvalidInput('fetch', `must be a function, got ${describe(fetch)}`);
  }
  requireObject('plans', plans);
  return new Client({
    transport: new Transport({ url: parseUrl(options.url), fetch }),
    ...keysOf(options.apiKey),
    deadlineMs: parseWhole('deadlineMs', deadlineMs, { min: 1, max: 60_000 }),
    policy: oneOf('onStoreFailure', onStoreFailure, ['open', 'closed']),
    plan: plan === undefined ? undefined : parseText('plan', plan, 64),
    plans,
  });
}

function keysOf(apiKey: ClientOptions['apiKey']) {
  if (typeof apiKey !== 'function') {
    const key = requireKey(apiKey);
    return { keyOf: () => key, tenantsHaveKeys: false };
  }
  const keyOf = (tenant = 'default') => requireKey(apiKey(tenant));
  return { keyOf, tenantsHaveKeys: true };
}

function parseUrl(url: unknown): string {
  const text = parseText('url', url, 2048);
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') {
    // A key in an address would end up in logs.
    if (parsed.username !== '' || parsed.password !== '') {
      throw new InvalidInput('url', 'must have no user or password; the key is `apiKey`');
    }
    return text.replace(/\/+$/, '');
  }
  throw new InvalidInput('url', 'must be an address such as http://127.0.0.1:8080');
}
