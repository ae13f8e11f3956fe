import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IdempotencyConflict, InvalidInput } from 'sluice';
import { toFieldProblems, type SchemaError } from './field-problems.ts';
import { toApiField } from './api-field.ts';
import { Problem, type ProblemCode } from './problem.ts';

export type ErrorPolicy = {
  /** A dependency is away: worth another try, and not our fault. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Nobody foresaw it: the caller learns the request's id only, and this is told the rest. */
  readonly onUnexpected: (error: unknown, request: FastifyRequest) => void;
};

/** The one place where an error becomes an answer. */
export function answerErrors(app: FastifyInstance, policy: ErrorPolicy): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request, policy.isUnavailable);
    if (problem.code === 'internal') policy.onUnexpected(error, request);
    return sendProblem(problem, request, reply);
  });
}

export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return (
    reply
      .code(problem.status)
      .headers({ ...requiredHeaders[problem.code], ...problem.headers })
      .header('content-type', 'application/problem+json')
      // As text: the schema of the route is for what it answers when all is well.
      .serializer(String)
      .send(JSON.stringify(problem.body(request.id)))
  );
}

/** What the status obliges to, unless the problem brings its own. */
const requiredHeaders: Readonly<Partial<Record<ProblemCode, Readonly<Record<string, string>>>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="sluice"' },
  unavailable: { 'retry-after': '1' },
};

export function toProblem(
  error: unknown,
  request: Pick<FastifyRequest, 'headers' | 'raw'>,
  isUnavailable: (error: unknown) => boolean,
): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidInput) {
    return invalidRequest([{ field: toApiField(error.field), problem: error.problem }]);
  }
  if (error instanceof IdempotencyConflict) {
    return new Problem(
      'idempotency_conflict',
      'This idempotency key was used with another question; use a new key for a new request.',
    );
  }
  const { validation, validationContext = 'body', code } = error as FrameworkError;
  if (validation) return invalidRequest(toFieldProblems(validation, validationContext));
  const known = code === undefined ? undefined : frameworkProblems[code];
  if (known) return isCompressed(request) ? compressedBody() : known();
  if (isUnavailable(error)) {
    return new Problem('unavailable', 'This cannot be answered right now; try again shortly.');
  }
  if (request.raw.destroyed && !request.raw.complete) {
    return new Problem('invalid_request', 'The connection ended before the body did.');
  }
  return new Problem('internal', 'The request failed here. Quote its id when you report it.');
}

type FrameworkError = {
  readonly code?: string;
  readonly validation?: readonly SchemaError[];
  readonly validationContext?: string;
};

const frameworkProblems: Readonly<Record<string, () => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Problem('body_too_large', 'The body is larger than this route takes.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('unsupported_media_type', 'Send JSON with content-type: application/json.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () =>
    new Problem('invalid_json', 'The body is not JSON, or has a field that JSON must not have.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () =>
    new Problem('invalid_json', 'The body is empty; send JSON, or no content-type.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('invalid_request', 'The body is not as long as content-length says.'),
  FST_ERR_BAD_URL: () => new Problem('invalid_request', 'The address is not well-formed.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('not_found', 'Nothing has an id that long.'),
};

function invalidRequest(errors: ReturnType<typeof toFieldProblems>): Problem {
  const [first] = errors;
  const detail = first ? `${first.field}: ${first.problem}` : 'The request is not valid.';
  return new Problem('invalid_request', detail, { errors });
}

function isCompressed({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== 'identity';
}

function compressedBody(): Problem {
  return new Problem('unsupported_media_type', 'Send the body without content-encoding.');
}
