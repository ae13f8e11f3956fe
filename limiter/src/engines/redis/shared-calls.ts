import { StoreFailure } from '../../core/errors.ts';
import type { RedisClient } from './client.ts';
import type { EncodedCall } from './encode.ts';
import { inParts, type PartSize } from './in-parts.ts';
import { failureOf, run } from './script.ts';
import { isShareable, mayShare, type Scripts } from './scripts.ts';

type Waiting = {
  readonly uses: number;
  readonly call: EncodedCall;
  readonly questions: number;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** As many as one tenant's may be: nobody waits longer behind many tenants than behind one. */
const questionsMax = 16;
const keysMax = 1000;
const callMax: PartSize = [questionsMax, keysMax];
const sizeOf = ({ questions, call }: Waiting): PartSize => [questions, call.keys.length];

/**
 * Lets calls of many tenants that are made in one turn of the event loop travel together, as one
 * tenant's do: one command for all, in which each is decided by itself. They arrive in the order in
 * which they were made. What keeps more in mind goes alone, and so does everything on a cluster, where
 * a script is in one slot.
 */
export class SharedCalls {
  readonly #client: RedisClient;
  readonly #scripts: Scripts;
  /** Another list each turn: one that lives on would keep what was in it from being collected young. */
  #waiting: Waiting[] | null = null;
  /** What all of them use together. */
  #uses = 0;
  #isShared: boolean;

  constructor(client: RedisClient, scripts: Scripts) {
    this.#client = client;
    this.#scripts = scripts;
    this.#isShared = client.cluster !== true;
  }

  /** The script's reply to one call, whoever else was asked for. */
  run(uses: number, call: EncodedCall, questions: number): Promise<unknown> {
    if (!this.#isShared) return this.#alone(uses, call);
    const isAlone = questions >= questionsMax || !isShareable(uses);
    if (this.#waiting && (isAlone || !mayShare(uses, this.#uses))) this.#send();
    if (isAlone) return this.#alone(uses, call);
    return new Promise((resolve, reject) => {
      if (!this.#waiting) {
        this.#waiting = [];
        this.#uses = 0;
        process.nextTick(() => this.#send());
      }
      this.#uses |= uses;
      this.#waiting.push({ uses, call, questions, resolve, reject });
    });
  }

  #alone(uses: number, { keys, args }: EncodedCall): Promise<unknown> {
    return run(this.#client, this.#scripts.decide(uses), keys, args);
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (!waiting) return;
    for (const together of inParts(waiting, callMax, sizeOf)) void this.#ask(this.#uses, together);
  }

  async #ask(uses: number, together: readonly Waiting[]): Promise<void> {
    if (together.length === 1) return this.#askEach(together);
    try {
      const { keys, args } = inOne(together);
      const replies = await run(this.#client, this.#scripts.decideMany(uses), keys, args);
      if (!Array.isArray(replies) || replies.length !== together.length) {
        throw new StoreFailure('malformed reply');
      }
      for (const [at, { resolve, reject }] of together.entries()) {
        const reply: unknown = replies[at];
        if (reply instanceof Error) reject(failureOf(reply));
        else resolve(reply);
      }
    } catch (error) {
      if (!isOtherSlot(error)) return together.forEach(({ reject }) => reject(error));
      // One address, and behind it several servers: nothing was done, and nothing ever will be.
      this.#isShared = false;
      return this.#askEach(together);
    }
  }

  #askEach(calls: readonly Waiting[]): void {
    for (const { uses, call, resolve, reject } of calls) {
      this.#alone(uses, call).then(resolve, reject);
    }
  }
}

/** As `many.lua` reads them. */
function inOne(together: readonly Waiting[]): { keys: string[]; args: string[] } {
  const keys: string[] = [];
  const args = [''];
  let sizes = '';
  for (const { call } of together) {
    for (const key of call.keys) keys.push(key);
    for (const arg of call.args) args.push(arg);
    sizes += `${sizes === '' ? '[' : ','}${call.keys.length},${call.args.length}`;
  }
  args[0] = `${sizes}]`;
  return { keys, args };
}

function isOtherSlot(error: unknown): boolean {
  const cause = error instanceof StoreFailure ? error.cause : null;
  return cause instanceof Error && /\bCROSSSLOT\b/.test(cause.message);
}
