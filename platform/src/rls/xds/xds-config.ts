import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CurrentConfig, type ConfigSource, type ConfigWatch } from '../config/current-config.ts';
import type { RlsConfig, TreeOptions } from '../config/tree.ts';
import { Backoff, type BackoffTimes } from './backoff.ts';
import { connect, type Connection, type XdsServer } from './connect.ts';
import { configTypeUrl, loadProtocol, type DiscoveryResponse, type Protocol } from './protocol.ts';
import { readResources } from './read-resources.ts';
import { Subscription, type Refusal } from './subscription.ts';

export type XdsConfigOptions = TreeOptions &
  ConfigWatch & {
    readonly server: XdsServer;
    /** Which rules the server is asked for. */
    readonly nodeId: string;
    /** Once for each different reason, until it is back. */
    readonly onLost: (problem: string) => void;
    readonly onBack: () => void;
    readonly reconnect?: BackoffTimes;
    readonly refuseAgain?: BackoffTimes;
  };

const reconnectDefault: BackoffTimes = { firstMs: 500, mostMs: 30_000 };
/** Some servers send what was refused at once again, and nothing else before that is answered. */
const refuseAgainDefault: BackoffTimes = { firstMs: 500, mostMs: 5000 };

/** What a management server says, as of its last state of the world that could be used. */
export class XdsConfig implements ConfigSource {
  readonly #options: XdsConfigOptions;
  readonly #current: CurrentConfig;
  readonly #reconnect: Backoff;
  readonly #refuseAgain: Backoff;
  readonly #closing = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #connection: Connection | null = null;
  /** Of the last state of the world, and what was wrong with it. */
  #last: { readonly digest: string; readonly problem: string | null } | null = null;
  #lost: string | null = null;

  constructor(options: XdsConfigOptions) {
    this.#options = options;
    this.#current = new CurrentConfig(options);
    this.#reconnect = new Backoff(options.reconnect ?? reconnectDefault);
    this.#refuseAgain = new Backoff(options.refuseAgain ?? refuseAgainDefault);
  }

  get config(): RlsConfig | null {
    return this.#current.config;
  }

  /** Does not wait for rules: the server may be away for long. */
  async open(): Promise<void> {
    this.#following = this.#follow(await loadProtocol());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#connection?.close();
    await this.#following;
  }

  /** From stream to stream, until it is closed. */
  async #follow(protocol: Protocol): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const problem = await this.#listen(protocol).catch(messageOf);
      if (signal.aborted) return;
      if (problem !== this.#lost) this.#options.onLost(problem);
      this.#lost = problem;
      await sleep(this.#reconnect.nextMs(), null, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns why the stream ended. */
  async #listen(protocol: Protocol): Promise<string> {
    const { server, nodeId } = this.#options;
    const connection = await connect(server, protocol);
    const { call, ended } = connection;
    const take = (response: DiscoveryResponse) => this.#take(response, protocol);
    const subscription = new Subscription(call, { nodeId, take });
    this.#connection = connection;
    if (this.#closing.signal.aborted) connection.close();
    try {
      return await ended;
    } finally {
      this.#connection = null;
      subscription.close();
      connection.close();
    }
  }

  /** What is the same as before is neither read nor counted again. */
  #take(response: DiscoveryResponse, protocol: Protocol): Refusal | null {
    this.#reconnect.reset();
    if (this.#lost !== null) this.#options.onBack();
    this.#lost = null;
    const digest = digestOf(response);
    const isAgain = digest === this.#last?.digest;
    if (!isAgain) {
      this.#refuseAgain.reset();
      this.#last = { digest, problem: this.#load(response, protocol) };
    }
    const problem = this.#last?.problem ?? null;
    if (problem === null) return null;
    return { problem, waitMs: isAgain ? this.#refuseAgain.nextMs() : 0 };
  }

  #load({ type_url, resources = [] }: DiscoveryResponse, { read }: Protocol): string | null {
    // None of something else is not none of our rules.
    if (type_url !== configTypeUrl) {
      return this.#current.refuse(`a response of '${type_url ?? ''}' was not asked for`);
    }
    return this.#current.take(readResources(resources, read));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function digestOf({ type_url: responseType, resources = [] }: DiscoveryResponse): string {
  const hash = createHash('sha256').update(JSON.stringify(responseType ?? ''));
  for (const { type_url = '', value = Buffer.alloc(0) } of resources) {
    hash.update(JSON.stringify([type_url, value.length])).update(value);
  }
  return hash.digest('base64');
}
