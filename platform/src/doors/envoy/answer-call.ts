import { status as grpcStatus, type handleUnaryCall } from '@grpc/grpc-js';
import { RlsRefusal, type RateLimitService, type RlsRefusalCode } from '../../rls/ask.ts';
import type { Metrics } from '../../observe/index.ts';
import type { Complaints } from './complaints.ts';
import { doorRoute } from './names.ts';
import { readRequest } from './read-request.ts';
import { writeResponse } from './write-response.ts';

export type CallParts = {
  readonly rateLimits: RateLimitService;
  readonly metrics: Pick<Metrics, 'called' | 'requestEnded'>;
  readonly complaints: Complaints;
  /** Calls that are being decided, at most: beyond, a gateway would not wait for the answer. */
  readonly inFlightMax?: number;
};

/** A gateway does not look at the code, yet people do. */
const codes: Readonly<Record<RlsRefusalCode, grpcStatus>> = {
  invalid: grpcStatus.INVALID_ARGUMENT,
  not_loaded: grpcStatus.FAILED_PRECONDITION,
  unavailable: grpcStatus.UNAVAILABLE,
};

const method = 'ShouldRateLimit';
const defaultInFlightMax = 10_000;

/** `ShouldRateLimit`: bytes to a question, the answer to bytes. */
export function answerCalls(parts: CallParts): handleUnaryCall<Buffer, Buffer> {
  const { rateLimits, metrics, complaints, inFlightMax = defaultInFlightMax } = parts;
  let inFlight = 0;

  return (call, callback) => {
    const startMs = performance.now();
    const end = (code: grpcStatus) => {
      metrics.called(method, grpcStatus[code], (performance.now() - startMs) * 1000);
    };
    const fail = (error: unknown) => {
      const { code, details } = errorOf(error);
      const isOurs = code === grpcStatus.INTERNAL || code === grpcStatus.UNAVAILABLE;
      metrics.requestEnded(doorRoute, isOurs ? 'failed' : 'rejected');
      complaints.add(grpcStatus[code], error);
      end(code);
      callback({ code, details });
    };
    if (inFlight >= inFlightMax) return fail(new TooMany(inFlightMax));
    let asked;
    try {
      asked = rateLimits.ask(readRequest(call.request));
    } catch (error) {
      return fail(error);
    }
    inFlight += 1;
    asked.then(
      (answer) => {
        inFlight -= 1;
        let bytes;
        try {
          bytes = writeResponse(answer);
        } catch (error) {
          return fail(error);
        }
        end(grpcStatus.OK);
        callback(null, bytes);
      },
      (error: unknown) => {
        inFlight -= 1;
        fail(error);
      },
    );
  };
}

class TooMany extends Error {
  constructor(max: number) {
    super(`${max} calls are under way on this node; ask another, or ask less`);
  }
}

function errorOf(error: unknown): { readonly code: grpcStatus; readonly details: string } {
  if (error instanceof RlsRefusal) return { code: codes[error.code], details: error.message };
  if (error instanceof TooMany) {
    return { code: grpcStatus.RESOURCE_EXHAUSTED, details: error.message };
  }
  return { code: grpcStatus.INTERNAL, details: 'the call failed here; the log says why' };
}
