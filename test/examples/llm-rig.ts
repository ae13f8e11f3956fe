import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChildNode } from '../platform/rig/child-node.ts';
import type { Settings } from '../platform/rig/node.ts';
import { makeStack, type Stack, type StackKind } from '../platform/rig/stacks.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { Call } from './llm-client.ts';

const examplePath = fileURLToPath(new URL('../../examples/llm-proxy', import.meta.url));
const resource = 'POST:/v1/completions';

/** Short, so that tests see holds run out; a stream takes longer and lives by its heartbeats. */
export const holdMs = 1500;
export const perUser = 5000;
export const tokenMs = 20;

export type Book = {
  readonly id: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly state: 'running' | 'complete' | 'stopped';
};

/** The service, the model and the proxy, each a process of its own, as a reader starts them. */
export class LlmRig {
  readonly #started: ChildNode[] = [];
  #stack: Stack | undefined;
  #folder = '';
  #key = '';
  #modelUrl = '';
  #proxy: ChildNode | undefined;
  #serving: Promise<string> = Promise.resolve('');
  service!: ChildNode;
  /** Between the service and its Redis, where it has one. */
  redis: FaultProxy | undefined;

  async start(kind: StackKind): Promise<void> {
    this.#stack = await makeStack(kind);
    this.#folder = await createTemporaryFolder('llm-proxy');
    const model = this.run('model.ts', { TOKEN_MS: String(tokenMs) });
    const store = await this.#faultyStore(this.#stack.settings['SLUICE_REDIS_URL']);
    const settings = { ...this.#stack.settings, ...store, SLUICE_CHECK_LOG: 'none' };
    this.service = await ChildNode.start(settings);
    this.#started.push(this.service);
    const setUp = this.run('set-up.ts', { ...this.#admin(), TOKENS_PER_USER: String(perUser) });
    this.#key = await found(setUp, /^SERVICE_KEY=(\S+)\n/m);
    this.#modelUrl = await found(model, / is listening on (\S+)\n/);
    await this.startProxy();
  }

  async #faultyStore(redisUrl: string | undefined): Promise<Settings> {
    if (redisUrl === undefined) return {};
    const url = new URL(redisUrl);
    this.redis = await FaultProxy.start(Number(url.port));
    url.port = String(this.redis.port);
    return { SLUICE_REDIS_URL: url.href };
  }

  /** After a start that failed too. */
  async stop(): Promise<void> {
    const running = this.#started.filter(({ isRunning }) => isRunning);
    await Promise.all(running.map((program) => program.end('SIGKILL')));
    await this.redis?.stop();
    await this.#stack?.remove();
    if (this.#folder !== '') await removeFolder(this.#folder);
  }

  /** A program of the example. */
  run(file: string, settings: Settings): ChildNode {
    const program = ChildNode.run(['--import', 'tsx', join(examplePath, file)], settings);
    this.#started.push(program);
    return program;
  }

  /** The example's own show. */
  runShow(): ChildNode {
    return this.run('main.ts', this.#admin());
  }

  #admin(): Settings {
    return { SERVICE_URL: this.service.url, SLUICE_ADMIN_TOKEN: this.service.adminToken };
  }

  get journalPath(): string {
    return join(this.#folder, 'journal');
  }

  /** All that the proxy of now has said. */
  get said(): string {
    return this.#proxy?.output ?? '';
  }

  /** Until the proxy of now says so. */
  async untilSaid(pattern: RegExp): Promise<void> {
    await this.#proxy?.until(pattern);
  }

  async startProxy(): Promise<void> {
    this.#proxy = this.run('proxy.ts', {
      SERVICE_URL: this.service.url,
      SERVICE_KEY: this.#key,
      MODEL_URL: this.#modelUrl,
      JOURNAL_PATH: this.journalPath,
      HOLD_MS: String(holdMs),
    });
    this.#serving = found(this.#proxy, / is listening on (\S+)\n/);
    await this.#serving;
  }

  async killProxy(): Promise<void> {
    await this.#proxy?.end('SIGKILL');
  }

  /** Whoever calls meanwhile waits for the next one. */
  async replaceProxy(): Promise<void> {
    let start = (_url: Promise<string>): void => {};
    this.#serving = new Promise((resolve) => (start = resolve));
    await this.killProxy();
    const begun = this.startProxy();
    start(this.#serving);
    await begun;
  }

  /** Of the proxy of now, once it serves. */
  get proxyUrl(): Promise<string> {
    return this.#serving;
  }

  /** What the proxy does first. */
  async reserve({ user, requestId, prompt, maxTokens }: Call): Promise<void> {
    const answer = await this.service.client.check(this.#key, {
      resource,
      subject: `user:${user}`,
      cost: 1,
      costs: { tokens: prompt.split(' ').length + maxTokens },
      idempotency_key: requestId,
      reserve: { ttl_ms: holdMs },
    });
    if (answer.status !== 200) throw new Error(answer.text);
  }

  /** The tokens that the tenant used, or one user, as Sluice counts them. Holds are used too. */
  async used(user?: string): Promise<number> {
    const look = { resource, subject: `user:${user ?? 'x'}`, cost: 0, costs: { tokens: 0 } };
    const { body } = await this.service.client.check(this.#key, look);
    const name = user === undefined ? 'tokens' : 'tokens-per-user';
    const limits = body['limits'] as { readonly name: string; readonly used: number }[];
    return limits.find((limit) => limit.name === name)?.used ?? Number.NaN;
  }

  async books(): Promise<Book[]> {
    return (await (await fetch(`${this.#modelUrl}/generations`)).json()) as Book[];
  }

  async billed(): Promise<number> {
    const books = await this.books();
    return books.reduce((sum, book) => sum + book.prompt_tokens + book.completion_tokens, 0);
  }

  /** How many generations the journal says are to be settled. */
  async owed(): Promise<number> {
    const lines = (await readFile(this.journalPath, 'utf8')).split('\n');
    const count = (word: string) => lines.filter((line) => line.startsWith(`{"${word}"`)).length;
    return count('begun') - count('settled');
  }
}

async function found(program: ChildNode, pattern: RegExp): Promise<string> {
  await program.until(pattern);
  return pattern.exec(program.output)?.[1] ?? '';
}
