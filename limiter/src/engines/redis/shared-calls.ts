import { StoreFailure } from '../../core/errors.ts';
import { listOf } from '../../core/list.ts';
import type { RedisClient } from './client.ts';
import { PartOfReply, replyOf } from './decode.ts';
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

  /** Tells of each its reply, or why there is none, as soon as it is there. */
  async together(calls: readonly Encoded[], tell: TellReply): Promise<void> {
    const parts = this.#isShared ? inCompany(calls) : calls.map((call) => [call]);
    const [first] = parts;
    if (first && parts.length === 1) return this.#ask(first, 0, tell);
    let from = 0;
    const asked: Promise<void>[] = [];
    for (const part of parts) {
      asked.push(this.#ask(part, from, tell));
      from += part.length;
    }
    await Promise.all(asked);
  }

  async #ask(calls: readonly Encoded[], from: number, tell: TellReply): Promise<void> {
    const [first] = calls;
    if (first && calls.length === 1) return this.#askOne(first, from, tell);
    let reply: unknown;
    try {
      reply = await this.#askAll(calls);
    } catch (error) {
      if (isOtherSlot(error)) {
        // One address, and behind it several servers: nothing was done, and nothing ever will be.
        this.#isShared = false;
        await Promise.all(calls.map((call, at) => this.#askOne(call, from + at, tell)));
        return;
      }
      for (let at = 0; at < calls.length; at += 1) tell(from + at, error);
      return;
    }
    tellAll(reply, calls.length, from, tell);
  }

  async #askOne(call: Encoded, at: number, tell: TellReply): Promise<void> {
    let reply: unknown;
    try {
      reply = replyOf(await this.alone(call));
    } catch (error) {
      reply = error;
    }
    tell(at, reply);
  }

  #askAll(calls: readonly Encoded[]): Promise<unknown> {
    let uses = 0;
    for (const call of calls) uses |= call.uses;
    const { keys, args } = inOne(calls);
    return run(this.#client, this.#scripts.decideMany(uses), keys, args);
  }
}

/** Hears the reply to the call at this place while it is told, a `Reply`, or an error. It never throws. */
type TellReply = (at: number, reply: unknown) => void;

/** What `many.lua` answered: one list for all. Where it makes no sense, so for all who are left. */
function tellAll(reply: unknown, count: number, from: number, tell: TellReply): void {
  let told = 0;
  try {
    const reader = replyOf(reply);
    const part = new PartOfReply(reader);
    while (told < count) {
      const values = reader.number();
      if (values < 0) tell(from + told, failureOf(new Error(reader.text())));
      else {
        part.begin(values);
        tell(from + told, part);
        part.pass();
      }
      told += 1;
    }
  } catch (error) {
    for (; told < count; told += 1) tell(from + told, error);
  }
}

/** In order, as few parts as have one script each. */
function inCompany(calls: readonly Encoded[]): (readonly Encoded[])[] {
  const [first] = calls;
  if (first && calls.every(({ uses }) => isShareable(uses) && mayShare(uses, first.uses))) {
    return [calls];
  }
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
  let count = 0;
  for (const call of calls) count += call.keys.length;
  const keys = listOf<string>(count);
  const args = [''];
  let at = 0;
  let list = '';
  let last: Encoded | null = null;
  /** What is said of one that asks like the last and has the same epoch. */
  let again = '';
  for (const call of calls) {
    for (const key of call.keys) keys[at++] = key;
    if (last && isSaidAlike(last, call)) {
      again ||= `,${call.keys.length},0${epochIn(call)}`;
      list += again;
    } else {
      const isAlike = last?.args === call.args;
      if (!isAlike) for (const arg of call.args) args.push(arg);
      list += `,${call.keys.length},${isAlike ? 0 : call.args.length}${epochIn(call)}`;
      again = '';
    }
    last = call;
  }
  args[0] = `[${list.slice(1)}]`;
  return { keys, args };
}

function isSaidAlike(last: Encoded, { args, epoch, keys }: Encoded): boolean {
  return last.args === args && last.epoch === epoch && last.keys.length === keys.length;
}

function epochIn({ epoch }: Encoded): string {
  return epoch === null ? '' : `,"${epoch}"`;
}

function isOtherSlot(error: unknown): boolean {
  const cause = error instanceof StoreFailure ? error.cause : null;
  return cause instanceof Error && /\bCROSSSLOT\b/.test(cause.message);
}
