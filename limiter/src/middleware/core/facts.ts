import type { RouteRules } from './options.ts';

/** How a response ended: with which status, and whether all of it was sent. */
export type ResponseEnd = { readonly status: number; readonly completed: boolean };

/** All that is known of a request, in words that every framework can say. An adapter makes it. */
export type Facts<Native> = {
  /** The framework's own request: what functions among the options are given. */
  readonly native: Native;
  /** One object for each request, whichever middleware looks at it. */
  readonly identity: object;
  readonly method: string;
  /** Path and query. */
  url(): string;
  /** What came with it, parsed or not; undefined while nobody has read it. */
  body(): unknown;
  /** By its name in lower case; several of one name are joined with commas. */
  header(name: string): string | undefined;
  /** The template of the route that will answer; null when there is none. */
  route(): string | null;
  /** The address at the other end of the connection. */
  peer(): string | undefined;
  /** Whom the framework takes for the caller, by its own settings. */
  frameworkAddress?(): string | undefined;
  /** Whether the framework believes any `X-Forwarded-For`. */
  frameworkTrustsAll?(): boolean;
  /** What the route itself says: in its configuration, or by a decorator. */
  rules?(): RouteRules<Native> | false | undefined;
  readonly response: ResponseFacts;
};

/** What was answered, as it was sent. */
export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type ResponseFacts = {
  /** From now on: what the handler answers, once it has; null when that is more than so much. */
  readonly capture: (bytesMax: number) => Promise<Answered | null>;
  /** Whether headers can no longer be set. */
  readonly isSent: boolean;
  /** Sets or replaces, while they are not sent. */
  readonly setHeader: (name: string, value: string) => void;
  /** Calls back once: when all was sent, or the caller went away; at once if that has happened. */
  readonly onEnd: (listener: (end: ResponseEnd) => void) => void;
};

/** The answer to a request that goes no further. */
export type RefusedOutcome = {
  readonly kind: 'refuse';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** What becomes of a request. `gone`: the caller went away while it was held. */
export type Outcome = { readonly kind: 'pass' } | RefusedOutcome | { readonly kind: 'gone' };

export const passed: Outcome = { kind: 'pass' };
