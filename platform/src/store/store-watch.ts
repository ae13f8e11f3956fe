import { randomUUID } from 'node:crypto';
import { slotOfTag, type RedisClient } from 'sluice';
import { parseRedisUrl } from '../redis-url.ts';
import { ClockWatch } from './clock-watch.ts';
import { Witness, type Loss } from './witness.ts';

/** Why not to trust what a server says: its clock was set, or it forgot what it had confirmed. */
export type StoreAlarm = { readonly server: string } & (
  | { readonly kind: 'clock_stepped'; readonly stepMs: number }
  | ({ readonly kind: 'rolled_back' } & Loss)
);

export type StoreWatchOptions = {
  readonly client: RedisClient;
  readonly url: string;
  readonly onAlarm: (alarm: StoreAlarm) => void;
};

/** Often enough that of a link that was dead for 800 ms something is always found missing. */
const everyMs = 500;
const keptMs = 24 * 60 * 60 * 1000;
/** Of these, each server of a cluster has one that is on it. */
const placesCount = 256;

/**
 * One command for both. A question that was held up on its way and comes after the next must not
 * look like something forgotten, so that a stamp is only replaced by a later one. Small enough for a
 * server that is full.
 */
const script = `#!lua flags=allow-oom
local time = redis.call('TIME')
local before = redis.call('GET', KEYS[1])
if not before or tonumber(before) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return {time[1], time[2], before}`;

/** Where a stamp can be kept: on whichever server has this slot. */
type Place = { readonly key: string; readonly slot: number };

type Held = Place & {
  readonly clock: ClockWatch;
  readonly witness: Witness;
  isAsked: boolean;
};

/**
 * Asks each server of a Redis twice a second what time it is and what it was told last. What is held
 * to it is a slot, not a server: whoever takes a server's place must know what that one confirmed,
 * and have the same time, for it goes on with its counters.
 */
export class StoreWatch {
  readonly #client: RedisClient;
  readonly #name: string;
  readonly #onAlarm: (alarm: StoreAlarm) => void;
  readonly #places: readonly Place[];
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | null = null;

  constructor({ client, url, onAlarm }: StoreWatchOptions) {
    this.#client = client;
    this.#name = nameOf(url);
    this.#onAlarm = onAlarm;
    this.#places = placesOf(randomUUID(), client.cluster ? placesCount : 1);
  }

  start(): void {
    this.#ask();
    this.#timer = setInterval(() => this.#ask(), everyMs).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #ask(): void {
    this.#hold();
    for (const held of this.#held.values()) {
      if (held.isAsked) continue;
      held.isAsked = true;
      // Who does not answer, or may not, has told us nothing; others say that it is away.
      void this.#askOne(held)
        .catch(() => {})
        .finally(() => {
          held.isAsked = false;
        });
    }
  }

  /** One place on each server; those that are held stay, wherever their slot went. */
  #hold(): void {
    const covered = new Set<string>();
    for (const held of this.#held.values()) {
      const server = this.#serverOf(held);
      if (server === undefined) continue;
      if (covered.has(server)) this.#held.delete(held.key);
      covered.add(server);
    }
    for (const place of this.#places) {
      const server = this.#serverOf(place);
      if (server === undefined || covered.has(server)) continue;
      this.#held.set(place.key, heldAt(place));
      covered.add(server);
    }
  }

  async #askOne(held: Held): Promise<void> {
    const askedMs = performance.now();
    const stampMs = Math.floor(askedMs);
    const reply = await this.#client.eval(script, [held.key], [String(stampMs), String(keptMs)]);
    const answeredMs = performance.now();
    const said = readReply(reply);
    if (!said) return;
    const server = this.#serverOf(held) ?? this.#name;
    const stepMs = held.clock.read({ askedMs, answeredMs, storeMs: said.storeMs });
    if (stepMs !== 0) this.#onAlarm({ kind: 'clock_stepped', server, stepMs });
    const loss = held.witness.confirmed(stampMs, said.beforeMs);
    if (loss) this.#onAlarm({ kind: 'rolled_back', server, ...loss });
  }

  /** Undefined while a cluster has nobody for it. */
  #serverOf({ slot }: Place): string | undefined {
    return this.#client.cluster ? this.#client.serverOf?.(slot) : this.#name;
  }
}

function heldAt(place: Place): Held {
  return { ...place, clock: new ClockWatch(), witness: new Witness(keptMs), isAsked: false };
}

/** Null for what is no answer of the script. */
function readReply(reply: unknown): { storeMs: number; beforeMs: number | null } | null {
  if (!Array.isArray(reply) || reply.length !== 3) return null;
  const [seconds, micros, before] = reply as readonly unknown[];
  const storeMs = Number(seconds) * 1000 + Number(micros) / 1000;
  const beforeMs = before === null ? null : Number(before);
  return Number.isFinite(storeMs) && !Number.isNaN(beforeMs) ? { storeMs, beforeMs } : null;
}

function placesOf(node: string, count: number): readonly Place[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `sl1:witness:{${at}}:${node}`,
    slot: slotOfTag(String(at)),
  }));
}

/** As an operator knows it, without a password. */
function nameOf(url: string): string {
  const address = parseRedisUrl(url);
  if (address.kind === 'sentinel') return address.masterName;
  const servers = address.kind === 'single' ? [address.server] : address.servers;
  return servers.map(({ host, port }) => `${host}:${port}`).join();
}
