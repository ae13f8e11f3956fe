import express, { type Express, type RequestHandler } from 'express';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { rateLimit as theirs } from 'express-rate-limit';
import { rateLimit as ours, type Options } from 'sluice/compat/express-rate-limit';
import { afterEach, vi } from 'vitest';
import { served } from '../middleware/frameworks/routes.ts';

/** Their own type: what they take, ours takes. */
export type Theirs = Omit<NonNullable<Parameters<typeof theirs>[0]>, 'store'>;

/** What is said to both, and what goes on in the application around them. */
export type Case = {
  readonly options: () => Theirs;
  /** Whatever else the application has: before the limit, or instead of the one route. */
  readonly around?: (app: Express) => void;
  /** The property that the route tells of. */
  readonly property?: string;
};

export type Ask = (path?: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** What must agree of an answer. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

// It has no types under this name.
const express4 = createRequire(import.meta.url)('express4') as typeof express;

export const expresses = [
  { name: 'express 5', make: express },
  { name: 'express 4', make: express4 },
];

const compared = /^(x-ratelimit|ratelimit|retry-after|content-type)/;

/** One instant for both, which tests move; the server itself runs on. */
export const clock = (): number => Date.now() * 1000;

/** Two servers, alike but for who limits; gone after each test. */
export function sideBySide(make: typeof express) {
  const open: { close: () => Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  const serve = async (limit: RequestHandler, { around, property }: Case): Promise<Ask> => {
    const app = make();
    around?.(app);
    app.use(limit, (req, res) => {
      const told = (req as unknown as Record<string, unknown>)[property ?? 'rateLimit'];
      res.status(Number(req.query['status'] ?? 200)).json(told ?? null);
    });
    // Its own page would print the error.
    const onError = (_error: unknown, _req: unknown, res: express.Response, _next: unknown) =>
      void res.status(500).send('failed');
    app.use(onError as express.ErrorRequestHandler);
    const server = await served(createServer(app));
    open.push(server);
    return (path = '/', headers = {}) => answerOf(`${server.url}${path}`, headers);
  };
  return async (about: Case) => {
    const theirLimit = theirs({ validate: false, ...about.options() });
    // A handler of theirs is told of their store, which nothing here looks at.
    const ourLimit = ours({ ...(about.options() as unknown as Options), clock });
    return {
      theirs: await serve(theirLimit as RequestHandler, about),
      ours: await serve(ourLimit, about),
      limits: { theirs: theirLimit, ours: ourLimit },
    };
  };
}

async function answerOf(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(url, { headers });
  const kept = [...response.headers].filter(([name]) => compared.test(name));
  return {
    status: response.status,
    headers: Object.fromEntries(kept),
    body: await response.text(),
  };
}

/** The same calls to both, one after another. */
export async function both(
  { theirs, ours }: { readonly theirs: Ask; readonly ours: Ask },
  calls: readonly (string | undefined)[],
): Promise<{ readonly theirs: Answer[]; readonly ours: Answer[] }> {
  const answers = { theirs: [] as Answer[], ours: [] as Answer[] };
  for (const path of calls) {
    answers.theirs.push(await theirs(path));
    answers.ours.push(await ours(path));
  }
  return answers;
}

export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 15, 12, 0, 0, 250) });
}
