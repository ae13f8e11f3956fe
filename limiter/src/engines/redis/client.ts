import { isGlobalKey } from './keys.ts';

/**
 * All that the engine asks of a Redis client, single or cluster: two commands, routed by their
 * first key. Adapt another client by writing these two methods; `name` is what we call the script,
 * for one who watches. With `asBytes`, which only a client
 * that `givesBytes` is asked for, texts of the reply come as a `Buffer`.
 */
export type RedisClient = {
  /** One script may only touch keys of one slot: what is global is then asked by itself. */
  readonly cluster?: boolean;
  /** It can give the texts of a reply as bytes: then replies are packed into one. */
  readonly givesBytes?: boolean | undefined;
  /** Which server of a cluster has the slot; what is on one server fails together. */
  readonly serverOf?: ((slot: number) => string | undefined) | undefined;
  evalsha(
    sha: string,
    keys: readonly string[],
    args: readonly string[],
    name?: string,
    asBytes?: boolean,
  ): Promise<unknown>;
  eval(
    source: string,
    keys: readonly string[],
    args: readonly string[],
    name?: string,
    asBytes?: boolean,
  ): Promise<unknown>;
};

/**
 * Counts a tenant in a Redis of its own, and in the one that all share what all share. No script can
 * touch both, as with two slots of a cluster.
 */
export function withGlobalElsewhere(own: RedisClient, shared: RedisClient): RedisClient {
  const of = ([key]: readonly string[]) => (key !== undefined && isGlobalKey(key) ? shared : own);
  return {
    cluster: true,
    serverOf: own.serverOf,
    givesBytes: own.givesBytes === true && shared.givesBytes === true,
    evalsha: (sha, keys, ...more) => of(keys).evalsha(sha, keys, ...more),
    eval: (source, keys, ...more) => of(keys).eval(source, keys, ...more),
  };
}

/** What we use of an ioredis `Redis` or `Cluster`. */
export type IoredisLike = {
  readonly isCluster?: boolean;
  /** Of a cluster: by slot, its servers, the primary first. */
  readonly slots?: readonly (readonly string[] | undefined)[];
  evalsha(sha: string, numkeys: number, ...rest: string[]): Promise<unknown>;
  eval(source: string, numkeys: number, ...rest: string[]): Promise<unknown>;
  evalshaBuffer?(sha: string, numkeys: number, ...rest: string[]): Promise<unknown>;
  evalBuffer?(source: string, numkeys: number, ...rest: string[]): Promise<unknown>;
};

export function fromIoredis(client: IoredisLike): RedisClient {
  return {
    cluster: client.isCluster === true,
    givesBytes: client.evalshaBuffer !== undefined && client.evalBuffer !== undefined,
    serverOf: (slot) => client.slots?.[slot]?.[0],
    evalsha: (sha, keys, args, _name, asBytes) =>
      asBytes && client.evalshaBuffer
        ? client.evalshaBuffer(sha, keys.length, ...keys, ...args)
        : client.evalsha(sha, keys.length, ...keys, ...args),
    eval: (source, keys, args, _name, asBytes) =>
      asBytes && client.evalBuffer
        ? client.evalBuffer(source, keys.length, ...keys, ...args)
        : client.eval(source, keys.length, ...keys, ...args),
  };
}
