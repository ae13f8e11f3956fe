import type { RlsAnswer, RlsHeader, RlsQuota, RlsStatus, RlsUnit } from '../../rls/ask.ts';
import { uint32Max } from '../../rls/bounds.ts';
import { frameHeadBytes, writeFrameHead } from './grpc/answer.ts';
import { safeHeader, safeName } from './safe-text.ts';
import { writeStruct } from './wire/write-struct.ts';
import { WireWriter } from './wire/wire-writer.ts';

export const code = { ok: 1, overLimit: 2 } as const;

/** As `RateLimitResponse.RateLimit.Unit` numbers them: the week came last. */
const unitNumbers: Readonly<Record<RlsUnit, number>> = {
  SECOND: 1,
  MINUTE: 2,
  HOUR: 3,
  DAY: 4,
  MONTH: 5,
  YEAR: 6,
  WEEK: 7,
};

const responseFields = {
  overallCode: 1,
  status: 2,
  responseHeader: 3,
  requestHeader: 4,
  rawBody: 5,
  metadata: 6,
} as const;

/** One for all answers: they are written one after the other, each in one go. */
const writer = new WireWriter();

/** `RateLimitResponse`, as it goes on the wire: behind the head of its frame. */
export function writeResponse(answer: RlsAnswer): Buffer {
  writer.rewind(frameHeadBytes);
  writer.uint(responseFields.overallCode, answer.isOver ? code.overLimit : code.ok);
  for (const status of answer.statuses) writeStatus(status);
  for (const header of answer.responseHeaders) writeHeader(responseFields.responseHeader, header);
  for (const header of answer.requestHeaders) writeHeader(responseFields.requestHeader, header);
  if (answer.body !== null) writer.text(responseFields.rawBody, answer.body);
  if (answer.metadata !== null) writeStruct(writer, responseFields.metadata, answer.metadata);
  const frame = writer.take();
  writeFrameHead(frame);
  return frame;
}

function writeStatus({ isOver, limit, remaining, resetSeconds, quota }: RlsStatus): void {
  const start = writer.open(responseFields.status);
  writer.uint(1, isOver ? code.overLimit : code.ok);
  if (limit !== null) {
    const inside = writer.open(2);
    writer.uint(1, toUint32(limit.requestsPerUnit));
    if (limit.unit !== null) writer.uint(2, unitNumbers[limit.unit]);
    if (limit.name !== null) writer.text(3, safeName(limit.name));
    writer.close(inside);
  }
  writer.uint(3, toUint32(remaining));
  if (resetSeconds !== null) {
    const inside = writer.open(4);
    writer.uint(1, wholeSeconds(resetSeconds));
    writer.close(inside);
  }
  if (quota !== null) writeQuota(quota);
  writer.close(start);
}

function writeQuota({ requests, validUntilSeconds, id }: RlsQuota): void {
  const start = writer.open(5);
  writer.uint(1, toUint32(requests));
  const inside = writer.open(2);
  const untilMs = wholeMs(validUntilSeconds);
  writer.uint(1, Math.floor(untilMs / 1000));
  writer.uint(2, (untilMs % 1000) * 1_000_000);
  writer.close(inside);
  writer.text(3, id);
  writer.close(start);
}

function writeHeader(field: number, header: RlsHeader): void {
  const safe = safeHeader(header);
  if (safe === null) return;
  const start = writer.open(field);
  writer.text(1, safe.name);
  writer.text(2, safe.value);
  writer.close(start);
}

/** Down, for it is what is left; true figures beyond are in the headers. */
export function toUint32(value: number): number {
  if (!(value > 0)) return 0;
  return value >= uint32Max ? uint32Max : Math.floor(value);
}

/** Down: who has it must not use it too late. */
export function wholeMs(seconds: number): number {
  return Math.floor(seconds * 1000);
}

/** Up: who waits that long must not come too early. */
export function wholeSeconds(seconds: number): number {
  return seconds > 0 ? Math.min(Math.ceil(seconds), Number.MAX_SAFE_INTEGER) : 0;
}
