import type { RlsAnswer, RlsHeader, RlsRequest, RlsStatus } from '../ask.ts';
import type { Match } from '../match/match.ts';
import type { RlsSettings } from '../settings.ts';

export type Answered = {
  readonly request: RlsRequest;
  readonly matches: readonly (Match | null)[];
  readonly statuses: readonly RlsStatus[];
  readonly isOver: boolean;
};

export function answerOf(
  { request, matches, statuses, isOver }: Answered,
  { headers, hasMetadata }: Pick<RlsSettings, 'headers' | 'hasMetadata'>,
): RlsAnswer {
  return {
    isOver,
    statuses,
    responseHeaders: headers ? headersOf(statuses, headers) : none,
    requestHeaders: none,
    body: null,
    metadata: hasMetadata ? metadataOf(request, matches, statuses) : null,
  };
}

const none: readonly RlsHeader[] = Object.freeze([]);

/** Of the descriptor that is over, else of the one with the least left. */
function headersOf(
  statuses: readonly RlsStatus[],
  [limitName, remainingName, resetName]: NonNullable<RlsSettings['headers']>,
): readonly RlsHeader[] {
  const shown = tightest(statuses);
  if (!shown?.limit) return none;
  const { limit, remaining, resetSeconds } = shown;
  return [
    { name: limitName, value: String(limit.requestsPerUnit) },
    { name: remainingName, value: String(remaining) },
    { name: resetName, value: String(resetSeconds ?? 0) },
  ];
}

function tightest(statuses: readonly RlsStatus[]): RlsStatus | null {
  let best: RlsStatus | null = null;
  for (const status of statuses) {
    if (!status.limit) continue;
    if (status.isOver) return status;
    if (!best || status.remaining < best.remaining) best = status;
  }
  return best;
}

/** What was asked, and what the rules say of those that passed; the first to say something counts. */
function metadataOf(
  { domain, descriptors }: RlsRequest,
  matches: readonly (Match | null)[],
  statuses: readonly RlsStatus[],
): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = Object.create(null);
  for (const [at, match] of matches.entries()) {
    const metadata = match?.rule.metadata;
    if (!metadata || statuses[at]?.isOver) continue;
    for (const name of Object.keys(metadata)) {
      if (!(name in merged)) merged[name] = metadata[name];
    }
  }
  const [first] = descriptors;
  const isOneForAll = first && descriptors.every(({ hits }) => hits === first.hits);
  return {
    domain,
    descriptors: descriptors.map(({ entries }) => ({
      entries: entries.map(({ key, value }) => `${key}=${value}`),
    })),
    ...(isOneForAll && first.hits !== 1 && { hitsAddend: first.hits }),
    ...(Object.keys(merged).length > 0 && { metadata: merged }),
  };
}
