import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { p99, percentile } from './statistics.ts';

export type Sample = {
  /** The number of the call. */
  readonly at: number;
  readonly startedMs: number;
  readonly tookMs: number;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly basis: string | null;
  readonly reason: string | null;
  readonly node: number;
};

export type LoadOptions = {
  readonly urls: readonly string[];
  /** The key of each call, by its number. */
  readonly key: (at: number) => string;
  readonly body?: (at: number) => object;
  readonly headers?: (at: number) => Readonly<Record<string, string>>;
  readonly perSecond: number;
  readonly connections?: number;
};

const tickMs = 5;
const ordinary = () => ({ resource: 'GET:/orders', subject: 'ann' });

/** Checks at a rate, whatever becomes of those before: a slow answer does not slow the callers. */
export class HttpLoad {
  readonly samples: Sample[] = [];
  readonly #options: LoadOptions;
  readonly #agent: Agent;
  readonly #over = new AbortController();
  readonly #open = new Set<Promise<void>>();
  readonly #work: Promise<void>;
  #sent = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections ?? 256 });
    this.#work = this.#run();
  }

  /** Of those that began in this time. */
  between(fromMs: number, untilMs: number): readonly Sample[] {
    return this.samples.filter(({ startedMs }) => startedMs >= fromMs && startedMs < untilMs);
  }

  async stop(): Promise<readonly Sample[]> {
    this.#over.abort();
    await this.#work;
    await Promise.all(this.#open);
    this.#agent.destroy();
    return this.samples;
  }

  async #run(): Promise<void> {
    const startMs = performance.now();
    while (!this.#over.signal.aborted) {
      const due = ((performance.now() - startMs) / 1000) * this.#options.perSecond;
      while (this.#sent < due) {
        const sent = this.#ask(this.#sent).finally(() => this.#open.delete(sent));
        this.#open.add(sent);
        this.#sent += 1;
      }
      await sleep(tickMs);
    }
  }

  #ask(at: number): Promise<void> {
    const { urls, key, body = ordinary, headers } = this.#options;
    const node = at % urls.length;
    const startedMs = performance.now();
    return new Promise((resolve) => {
      const done = (status: number, text: string) => {
        const tookMs = performance.now() - startedMs;
        const [basis, reason] = [fieldOf(text, 'basis'), fieldOf(text, 'degraded_reason')];
        this.samples.push({ at, startedMs, tookMs, status, basis, reason, node });
        resolve();
      };
      const asked = request(`${urls[node]}/v1/check`, {
        agent: this.#agent,
        method: 'POST',
        headers: { 'x-api-key': key(at), 'content-type': 'application/json', ...headers?.(at) },
      });
      asked.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => done(response.statusCode ?? 0, text));
        response.on('error', () => done(0, ''));
      });
      asked.on('error', () => done(0, ''));
      asked.end(JSON.stringify(body(at)));
    });
  }
}

function fieldOf(text: string, name: string): string | null {
  return new RegExp(`"${name}":"([^"]*)"`).exec(text)?.[1] ?? null;
}

/**
 * The p99 of an ordinary second: of each second its own, and of those the median. What a fault does to
 * callers it does all the time; what the machine does beside it comes and goes.
 */
export function p99OfSeconds(samples: readonly Sample[]): number {
  const seconds = new Map<number, number[]>();
  for (const { startedMs, tookMs } of samples) {
    const second = Math.floor(startedMs / 1000);
    const some = seconds.get(second);
    if (some) some.push(tookMs);
    else seconds.set(second, [tookMs]);
  }
  return percentile([...seconds.values()].map(p99), 0.5);
}

export function times(samples: readonly Sample[]): number[] {
  return samples.map(({ tookMs }) => tookMs);
}

/** What must never be: a 5xx, or no answer at all. */
export function failures(samples: readonly Sample[]): number {
  return samples.filter(({ status }) => status === 0 || status >= 500).length;
}

export function countOf(samples: readonly Sample[], basis: string): number {
  return samples.filter((sample) => sample.basis === basis).length;
}
