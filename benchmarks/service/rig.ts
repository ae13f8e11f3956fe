import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../../test/servers/postgres.ts';
import { startRedis } from '../../test/servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../../test/servers/temporary-folder.ts';
import { Driver } from './driver.ts';
import { metricIn, startBare, startSluice, type Server } from './process.ts';
import { adminToken } from './tenants.ts';

/** Above the default, for on a busy machine Redis alone may wait that long for a processor. */
const deadlineMs = '1000';
/** Were more of the answers late than a stall explains, we would have measured the fallback. */
const degradedShareMax = 0.02;

/** Everything of one row: what it starts, it stops. */
export class Rig {
  readonly driver = new Driver();
  readonly #nodeArgs: readonly string[];
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #nodes: Server[] = [];
  readonly #postgres = once(() => this.#kept(startPostgres()));
  readonly #redis = once(() => this.#kept(startRedis()));
  #made = 0;

  constructor(nodeArgs: readonly string[]) {
    this.#nodeArgs = nodeArgs;
  }

  /** A Redis that is empty at first, the same for the whole row. */
  async redisUrl(): Promise<string> {
    return (await this.#redis()).url;
  }

  /** A database of its own on the row's PostgreSQL. */
  async databaseUrl(): Promise<string> {
    const { url } = await this.#postgres();
    const name = `bench${(this.#made += 1)}`;
    const client = new Client(url);
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    return url.replace(/\/postgres$/, `/${name}`);
  }

  /** Sluice as it comes, with its defaults but for these settings. */
  async sluice(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
    const folder = await this.#folder();
    const node = await this.#kept(
      startSluice(this.#nodeArgs, {
        SLUICE_ADMIN_TOKEN: adminToken,
        SLUICE_DATA_DIR: folder,
        SLUICE_DEMO: 'off',
        SLUICE_STORE_DEADLINE_MS: deadlineMs,
        ...settings,
      }),
    );
    this.#nodes.push(node);
    return node;
  }

  /** The bare route, with the very answer that the node gives to this request. */
  async bare(
    node: Server,
    request: { readonly key: string; readonly body: string },
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Server> {
    const path = join(await this.#folder(), 'answer.json');
    await writeFile(path, JSON.stringify(await answerOf(node, request)));
    return this.#kept(startBare(this.#nodeArgs, { ANSWER_FILE: path, ...settings }));
  }

  /** Fails when too much of what was measured was not decided by the store. */
  async requireExact(): Promise<void> {
    for (const node of this.#nodes) {
      const text = await node.metrics().catch(() => '');
      const degraded = metricIn(text, 'rl_degraded_total');
      const decided = metricIn(text, 'rl_allowed_total');
      if (degraded > decided * degradedShareMax) {
        throw new Error(`${degraded} of ${decided} checks had no answer in ${deadlineMs} ms`);
      }
    }
  }

  /** Measures servers of one life, and ends them: those of the next must not share the machine with them. */
  async ofLife<T>(servers: Readonly<Record<string, Server>>, work: () => Promise<T>): Promise<T> {
    const measured = await work();
    await this.requireExact();
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    return measured;
  }

  async stop(): Promise<void> {
    this.driver.stop();
    for (const stop of this.#stops.toReversed()) await stop();
  }

  async #folder(): Promise<string> {
    const path = await createTemporaryFolder('bench');
    this.#stops.push(() => removeFolder(path));
    return path;
  }

  async #kept<T extends { readonly stop: () => Promise<void> }>(starting: Promise<T>): Promise<T> {
    const started = await starting;
    this.#stops.push(() => started.stop());
    return started;
  }
}

/** What the server itself adds to every answer is not for the route to say. */
const added = new Set(['connection', 'content-length', 'date', 'keep-alive']);

async function answerOf(node: Server, { key, body }: { key: string; body: string }) {
  const answer = await fetch(`${node.url}/v1/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body,
  });
  if (answer.status !== 200) throw new Error(`not a 200: ${await answer.text()}`);
  const headers = [...answer.headers].filter(([name]) => !added.has(name));
  return { headers: Object.fromEntries(headers), body: await answer.text() };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
