import { afterEach, describe } from 'vitest';
import type {
  LimitCall,
  LimitResult,
  RateLimit,
  RateLimitOptions,
} from '../../../limiter/src/middleware/core/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { frameworks } from './frameworks/index.ts';

/** How to look at a request of the framework's own, whichever it is. */
export type Read = {
  readonly header: (request: never, name: string) => string | undefined;
  /** Whom authentication found, which runs before the limits: whoever `x-user` says. */
  readonly user: (request: never) => string | undefined;
};

export type Options = RateLimitOptions<never>;

/** What a handler is given, in every framework the same. */
export type Call = {
  readonly rateLimit: () => RateLimit | undefined;
  readonly limit: (call: LimitCall<never>) => Promise<LimitResult<Reply>>;
  readonly header: (name: string) => string | undefined;
};

/** `native`: what the framework's own `refuse` returned, to be handed back as it is. */
export type Reply = {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly native?: unknown;
};

export type Handler = (call: Call) => Reply | Promise<Reply>;

export type AppSpec = {
  /** One or several, in their order. */
  readonly limits: (read: Read) => Options | readonly Options[];
  /** `GET /orders/:id` to what answers it. */
  readonly routes: Readonly<Record<string, Handler>>;
};

export type Served = { readonly url: string; readonly close: () => Promise<void> };

export type Framework = {
  readonly name: string;
  readonly serve: (spec: AppSpec) => Promise<Served>;
};

export type Rig = {
  readonly clock: FakeClock;
  /** An application of the framework, on a port of its own; gone after the test. */
  readonly serve: (spec: AppSpec) => Promise<Asker>;
};

export type Asker = ((path: string, init?: RequestInit) => Promise<Answer>) & {
  readonly url: string;
};
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
};

export const ok: Handler = () => ({ body: 'ok' });

/** The same guarantees, once for each framework, over real HTTP. */
export function inEveryFramework(topic: string, tests: (rig: Rig) => void): void {
  describe.each(frameworks)(`$name: ${topic}`, (framework) => {
    const open: Served[] = [];
    const clock = new FakeClock();
    afterEach(async () => {
      await Promise.all(open.splice(0).map((served) => served.close()));
    });
    tests({
      clock,
      serve: async (spec) => {
        const served = await framework.serve(spec);
        open.push(served);
        return askerOf(served.url);
      },
    });
  });
}

function askerOf(url: string): Asker {
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const json = isJson && text !== '' ? (JSON.parse(text) as Answer['json']) : {};
    return { status: response.status, headers: response.headers, text, json };
  };
  return Object.assign(ask, { url });
}

/** The statuses of as many calls, one after the other. */
export async function statuses(ask: Asker, ...paths: readonly string[]): Promise<number[]> {
  const seen: number[] = [];
  for (const path of paths) seen.push((await ask(path)).status);
  return seen;
}

export const asUser = (user: string): RequestInit => ({ headers: { 'x-user': user } });

/** A promise, and the way to keep it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
