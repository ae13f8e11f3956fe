import type { CanonicalLimit, WireLimitDecision } from 'sluice/contract';

export type Algorithm = WireLimitDecision['algorithm'];

/** A limit of that algorithm, with its own numbers. */
export type LimitOf<A extends Algorithm> = CanonicalLimit & { readonly algorithm: A };

/** What a stranger should know of each, in two sentences. */
export const algorithms: Readonly<
  Record<Algorithm, { readonly label: string; readonly about: string }>
> = {
  token_bucket: {
    label: 'Token bucket',
    about:
      'Tokens flow in at a steady rate up to the size of the bucket, and every call takes some: a burst passes while there are tokens, then calls pass as fast as tokens come. Its weakness is that a full bucket lets that burst through on top of the rate; choose it for APIs whose callers are bursty by nature, which is most of them.',
  },
  fixed_window: {
    label: 'Fixed window',
    about:
      'Counts calls in windows of fixed length and starts from zero with each. Its weakness is the edge: a full window’s calls just before it and again just after it are twice the limit in a moment; choose it where the limit is explained to people (“10 in each 10 seconds”) and that does no harm.',
  },
  sliding_window_log: {
    label: 'Sliding log',
    about:
      'Remembers when each call was made and counts those of the last ten seconds, at any moment: exact, without edges. Its weakness is that it keeps every call it counts; choose it for small limits that must hold to the letter, such as attempts to sign in.',
  },
  sliding_window_counter: {
    label: 'Sliding counter',
    about:
      'Keeps two counters and weighs the previous window by how much of it still lies in the last ten seconds. Its weakness is that it assumes the previous window’s calls were spread evenly; choose it for large limits, where the log would be too big and a fixed window too rough.',
  },
  concurrency: {
    label: 'Concurrency',
    about:
      'Counts calls that are open right now: each takes a slot and gives it back when it is done, or when it went silent for ten seconds. Its weakness is that it says nothing about how many calls a minute brings; choose it to protect what is slow, such as reports, uploads or a model.',
  },
  quota: {
    label: 'Quota',
    about:
      'An allowance for a calendar day, in the tenant’s own time zone. Its weakness is that all of it may be gone by morning; choose it for what is sold or billed, together with a rate that spreads it.',
  },
};
