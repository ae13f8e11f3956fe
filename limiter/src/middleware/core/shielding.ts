import { createHash } from 'node:crypto';
import { InvalidInput } from '../../core/errors.ts';
import { joined } from '../../core/limit.ts';
import { createShieldStore } from '../../limiter/create-shield-store.ts';
import { parseShieldOptions, Shield } from '../../shield/index.ts';
import { passed, type Facts, type Outcome } from './facts.ts';
import type { Caller } from './key-parts.ts';
import type { RateLimitOptions, ShieldRule } from './options.ts';
import { problem } from './refusal.ts';

/** These change nothing: there is nothing to shield from a second time. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];
const keyPattern = /^[A-Za-z0-9_.-]{8,128}$/;

/** Brings requests to the shield, and what was answered after it. */
export class Shielding<Native> {
  readonly #shield: Shield;
  readonly #rule: ShieldRule<Native>;
  readonly #bytesMax: number;
  readonly #onError: (error: unknown) => void;

  constructor(options: RateLimitOptions<Native>, onError: (error: unknown) => void) {
    const { shield, redis, secret } = options;
    this.#rule = shield === true || shield === undefined ? {} : shield;
    const rules = parseShieldOptions(this.#rule, () => createShieldStore({ redis, secret }), [
      'required',
      'fingerprint',
    ]);
    this.#shield = new Shield(rules);
    this.#bytesMax = rules.bytesMax;
    this.#onError = onError;
  }

  async enter(facts: Facts<Native>, caller: Caller, key: string | undefined): Promise<Outcome> {
    if (safeMethods.includes(facts.method)) return passed;
    if (key === undefined) return this.#rule.required ? missingKey : passed;
    if (!keyPattern.test(key)) return invalidKey;
    const { tenant = 'default', subject } = caller;
    const fingerprint = await this.#fingerprintOf(facts);
    const entered = await this.#shield.enter({ tenant, caller: subject, key, fingerprint });
    switch (entered.kind) {
      case 'conflict':
        return conflict;
      case 'busy':
        return busy(entered.retryAfterMs);
      case 'unavailable':
        return unavailable;
      case 'replay':
        return { ...entered.answer, kind: 'refuse' };
      case 'run': {
        const { running } = entered;
        const hand = async () => running?.done(await facts.response.capture(this.#bytesMax));
        if (running) hand().catch(this.#onError);
        return passed;
      }
    }
  }

  async #fingerprintOf(facts: Facts<Native>): Promise<string> {
    const said = await this.#rule.fingerprint?.(facts.native);
    const asked = said === undefined ? [facts.url(), await bodyOf(facts)] : [said];
    return createHash('sha256')
      .update(joined([facts.method, ...asked]))
      .digest('base64url');
  }
}

async function bodyOf<Native>(facts: Facts<Native>): Promise<string> {
  const body = await facts.body();
  if (body === undefined || body === null) {
    if (hasBody(facts)) throw new InvalidInput('shield', unread);
    return '';
  }
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    return Buffer.from(body as Uint8Array).toString('base64');
  }
  return JSON.stringify(body);
}

const unread =
  'the body was not read yet; mount this after what parses it, or give a `fingerprint`';

function hasBody<Native>(facts: Facts<Native>): boolean {
  const length = facts.header('content-length');
  return facts.header('transfer-encoding') !== undefined || Number(length ?? 0) > 0;
}

const missingKey = problem(
  400,
  'idempotency_key_missing',
  'An idempotency key is needed',
  'Send a new key in Idempotency-Key, and the same again with a retry.',
);
const invalidKey = problem(
  400,
  'invalid_idempotency_key',
  'The idempotency key is not valid',
  'It must be 8 to 128 letters, digits, "-", "_" or ".".',
);
const conflict = problem(
  422,
  'idempotency_conflict',
  'The idempotency key is taken',
  'This key was used with another request; use a new key for a new request.',
);
const unavailable = problem(
  409,
  'unavailable',
  'It could not be looked up whether this was done',
  'Try again in a moment, with the same key.',
  { 'Retry-After': '1' },
);

function busy(retryAfterMs: number): Outcome {
  const seconds = String(Math.ceil(retryAfterMs / 1000));
  return problem(
    409,
    'idempotency_in_progress',
    'The same request is being answered',
    'Try again in a moment, with the same key.',
    { 'Retry-After': seconds },
  );
}
