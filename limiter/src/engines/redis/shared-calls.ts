import { StoreFailure } from '../../core/errors.ts';
import { listOf } from '../../core/list.ts';
import type { RedisClient } from './client.ts';
import { replyOf, type Reply } from './decode.ts';
import type { Encoded } from './slot-call.ts';
import { failureOf, run } from './script.ts';
import { isShareable, mayShare, type Scripts } from './scripts.ts';

/**
 * Sends calls of many tenants as one tenant's are sent: one command for all, in which each is decided
 * by itself, in the order in which they were made. What keeps more in mind goes alone, and so does
 * everything on a cluster, where a script is in one slot.
 */
export class SharedCalls {
  readonly #client: RedisClient;
  readonly #scripts: Scripts;
  #isShared: boolean;

  constructor(client: RedisClient, scripts: Scripts) {
    this.#client = client;
    this.#scripts = scripts;
    this.#isShared = client.cluster !== true;
  }

  alone({ uses, keys, args, epoch }: Encoded): Promise<unknown> {
    const all = epoch === null ? args : args.toSpliced(1, 0, epoch);
    return run(this.#client, this.#scripts.decide(uses), keys, all);
  }

  /** The reply to each, or in its place why there is none. */
  async together(calls: readonly Encoded[]): Promise<readonly unknown[]> {
    const parts = this.#isShared ? inCompany(calls) : calls.map((call) => [call]);
    const [first] = parts;
    if (first && parts.length === 1) return this.#ask(first);
    return (await Promise.all(parts.map((part) => this.#ask(part)))).flat(1);
  }

  async #ask(calls: readonly Encoded[]): Promise<readonly unknown[]> {
    const [first] = calls;
    if (first && calls.length === 1) return [await this.alone(first).catch(asValue)];
    try {
      return await this.#askAll(calls);
    } catch (error) {
      if (!isOtherSlot(error)) return calls.map(() => error);
      // One address, and behind it several servers: nothing was done, and nothing ever will be.
      this.#isShared = false;
      return Promise.all(calls.map((call) => this.alone(call).catch(asValue)));
    }
  }

  async #askAll(calls: readonly Encoded[]): Promise<readonly unknown[]> {
    let uses = 0;
    for (const call of calls) uses |= call.uses;
    const { keys, args } = inOne(calls);
    const reader = replyOf(await run(this.#client, this.#scripts.decideMany(uses), keys, args));
    const replies = listOf<unknown>(calls.length);
    for (let at = 0; at < replies.length; at += 1) replies[at] = replyIn(reader);
    reader.end();
    return replies;
  }
}

/** The next call's. */
function replyIn(reader: Reply): number[] | StoreFailure {
  const count = reader.number();
  if (count < 0) return failureOf(new Error(reader.text()));
  const numbers: number[] = [];
  for (let at = 0; at < count; at += 1) numbers.push(reader.number());
  return numbers;
}

const asValue = (error: unknown): unknown => error;

/** In order, as few parts as have one script each. */
function inCompany(calls: readonly Encoded[]): Encoded[][] {
  const parts: Encoded[][] = [];
  let part: Encoded[] = [];
  let isOpen = false;
  for (const call of calls) {
    const isAlone = !isShareable(call.uses);
    if (!isOpen || isAlone || !mayShare(call.uses, (part[0] as Encoded).uses)) {
      parts.push((part = []));
    }
    part.push(call);
    isOpen = !isAlone;
  }
  return parts;
}

/** As `many.lua` reads them. */
function inOne(calls: readonly Encoded[]): { keys: string[]; args: string[] } {
  const keys: string[] = [];
  const args = [''];
  let list = '';
  let last: Encoded | null = null;
  for (const call of calls) {
    for (const key of call.keys) keys.push(key);
    const isAlike = last?.args === call.args;
    if (!isAlike) for (const arg of call.args) args.push(arg);
    list += `${last ? ',' : '['}${call.keys.length},${isAlike ? 0 : call.args.length}`;
    if (call.epoch !== null) list += `,"${call.epoch}"`;
    last = call;
  }
  args[0] = `${list}]`;
  return { keys, args };
}

function isOtherSlot(error: unknown): boolean {
  const cause = error instanceof StoreFailure ? error.cause : null;
  return cause instanceof Error && /\bCROSSSLOT\b/.test(cause.message);
}
