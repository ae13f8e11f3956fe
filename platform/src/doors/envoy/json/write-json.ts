import type { RlsAnswer, RlsHeader, RlsQuota, RlsStatus } from '../../../rls/ask.ts';
import { safeHeader, safeName } from '../safe-text.ts';
import { toUint32, wholeMs, wholeSeconds } from '../write-response.ts';

/** A `RateLimitResponse` as proto3 spells it in JSON: what holds its default is left out. */
export function writeJson(answer: RlsAnswer): string {
  const { isOver, statuses, body, metadata } = answer;
  return JSON.stringify({
    overallCode: codeOf(isOver),
    ...(statuses.length > 0 && { statuses: statuses.map(statusOf) }),
    ...headersOf('responseHeadersToAdd', answer.responseHeaders),
    ...headersOf('requestHeadersToAdd', answer.requestHeaders),
    ...(body && { rawBody: Buffer.from(body).toString('base64') }),
    ...(metadata && { dynamicMetadata: metadata }),
  });
}

function statusOf({ isOver, limit, remaining, resetSeconds, quota }: RlsStatus) {
  const limitRemaining = toUint32(remaining);
  return {
    code: codeOf(isOver),
    ...(limit && { currentLimit: limitOf(limit) }),
    ...(limitRemaining > 0 && { limitRemaining }),
    ...(resetSeconds !== null && { durationUntilReset: `${wholeSeconds(resetSeconds)}s` }),
    ...(quota && { quota: quotaOf(quota) }),
  };
}

function quotaOf({ requests, validUntilSeconds, id }: RlsQuota) {
  const validUntil = new Date(wholeMs(validUntilSeconds)).toISOString();
  return { requests: toUint32(requests), validUntil, id };
}

function limitOf({ requestsPerUnit, unit, name }: NonNullable<RlsStatus['limit']>) {
  const count = toUint32(requestsPerUnit);
  return {
    ...(count > 0 && { requestsPerUnit: count }),
    ...(unit !== null && { unit }),
    ...(name && { name: safeName(name) }),
  };
}

function headersOf(field: string, headers: readonly RlsHeader[]) {
  const safe = headers.map(safeHeader).filter((header) => header !== null);
  if (safe.length === 0) return {};
  return { [field]: safe.map(({ name, value }) => ({ key: name, ...(value && { value }) })) };
}

function codeOf(isOver: boolean): 'OK' | 'OVER_LIMIT' {
  return isOver ? 'OVER_LIMIT' : 'OK';
}
