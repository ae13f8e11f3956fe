import type { ServerHttp2Stream } from 'node:http2';
import { RlsRefusal, type RateLimitService, type RlsRefusalCode } from '../../rls/ask.ts';
import type { Metrics } from '../../observe/index.ts';
import type { Complaints } from './complaints.ts';
import { answer as send, refuse } from './grpc/answer.ts';
import type { UnaryHandler } from './grpc/grpc-server.ts';
import type { GrpcStatus } from './grpc/status.ts';
import { doorRoute } from './names.ts';
import { readRequest } from './read-request.ts';
import { writeResponse } from './write-response.ts';

export type CallParts = {
  readonly rateLimits: RateLimitService;
  readonly metrics: Pick<Metrics, 'called' | 'requestEnded'>;
  readonly complaints: Complaints;
  /** Calls that are being decided, at most: beyond, a gateway would not wait for the answer. */
  readonly callsMax?: number | undefined;
};

/** A gateway does not look at the code, yet people do. */
const codes: Readonly<Record<RlsRefusalCode, GrpcStatus>> = {
  invalid: 'INVALID_ARGUMENT',
  not_loaded: 'FAILED_PRECONDITION',
  unavailable: 'UNAVAILABLE',
};

const method = 'ShouldRateLimit';
const defaultCallsMax = 10_000;

/** `ShouldRateLimit`: bytes to a question, the answer to bytes. */
export function answerCalls(parts: CallParts): UnaryHandler {
  const { rateLimits, metrics, complaints, callsMax = defaultCallsMax } = parts;
  let inFlight = 0;

  const end = (status: GrpcStatus, startMs: number) =>
    metrics.called(method, status, (performance.now() - startMs) * 1000);
  const fail = (error: unknown, stream: ServerHttp2Stream, startMs: number) => {
    const { status, details } = errorOf(error);
    const isOurs = status === 'INTERNAL' || status === 'UNAVAILABLE';
    metrics.requestEnded(doorRoute, isOurs ? 'failed' : 'rejected');
    complaints.add(status, error);
    end(status, startMs);
    refuse(stream, status, details);
  };

  const answer = async (message: Buffer, stream: ServerHttp2Stream) => {
    const startMs = performance.now();
    if (inFlight >= callsMax) return fail(new TooMany(callsMax), stream, startMs);
    inFlight += 1;
    try {
      const decided = await rateLimits.ask(readRequest(message));
      send(stream, writeResponse(decided));
      end('OK', startMs);
    } catch (error) {
      fail(error, stream, startMs);
    } finally {
      inFlight -= 1;
    }
  };
  return (message, stream) => void answer(message, stream);
}

class TooMany extends Error {
  constructor(max: number) {
    super(`${max} calls are under way on this node; ask another, or ask less`);
  }
}

function errorOf(error: unknown): { readonly status: GrpcStatus; readonly details: string } {
  if (error instanceof RlsRefusal) return { status: codes[error.code], details: error.message };
  if (error instanceof TooMany) return { status: 'RESOURCE_EXHAUSTED', details: error.message };
  return { status: 'INTERNAL', details: 'the call failed here; the log says why' };
}
