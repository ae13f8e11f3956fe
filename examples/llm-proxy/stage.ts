// What the show needs: a tenant of its own, the model and the proxy as processes, and a look at
// both sets of books.

import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Book } from './model-client.ts';
import { Program } from './program.ts';
import { type Allowances, setUp, type Tenant } from './set-up.ts';
import { type Limit, Sluice } from './sluice.ts';

export class Stage {
  readonly #serviceUrl: string;
  readonly #tenant: Tenant;
  readonly #folder: string;
  readonly #model: Program;
  readonly #lines = new EventEmitter();
  readonly #said: string[] = [];
  #proxy: Program | undefined;

  private constructor(serviceUrl: string, tenant: Tenant, folder: string, model: Program) {
    this.#serviceUrl = serviceUrl;
    this.#tenant = tenant;
    this.#folder = folder;
    this.#model = model;
  }

  static async build(serviceUrl: string, adminToken: string, allowances: Allowances) {
    const tenant = await setUp(serviceUrl, adminToken, allowances);
    const folder = await mkdtemp(join(tmpdir(), 'llm-proxy-'));
    const model = await Program.start('model.ts', {});
    return new Stage(serviceUrl, tenant, folder, model);
  }

  get proxyUrl(): string {
    return this.#proxy?.url ?? '';
  }

  /** On the journal that the one before wrote. */
  async startProxy(print: (line: string) => void): Promise<void> {
    const settings = {
      SERVICE_URL: this.#serviceUrl,
      SERVICE_KEY: this.#tenant.key,
      MODEL_URL: this.#model.url,
      JOURNAL_PATH: join(this.#folder, 'journal'),
    };
    this.#proxy = await Program.start('proxy.ts', settings, (line) => {
      print(line);
      this.#said.push(line);
      this.#lines.emit('line');
    });
  }

  /** Until the proxy has said so. */
  async said(start: string): Promise<void> {
    while (!this.#said.some((line) => line.startsWith(start))) await once(this.#lines, 'line');
  }

  async killProxy(): Promise<void> {
    await this.#proxy?.kill();
  }

  /** The tenant's tokens, as Sluice counts them. */
  async tokens(user: string): Promise<Limit> {
    const limits = await new Sluice(this.#serviceUrl, this.#tenant.key).peek(user);
    const found = limits.find(({ name }) => name === 'tokens');
    if (!found) throw new Error('the plan has no limit called tokens');
    return found;
  }

  /** And as the model bills them. */
  async billed(): Promise<number> {
    const books = (await (await fetch(`${this.#model.url}/generations`)).json()) as Book[];
    return books.reduce((sum, book) => sum + book.prompt_tokens + book.completion_tokens, 0);
  }

  async tearDown(): Promise<void> {
    await this.killProxy();
    await this.#model.kill();
    await rm(this.#folder, { recursive: true });
    await this.#tenant.remove();
  }
}
