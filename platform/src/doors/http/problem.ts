/**
 * The body of every error but a refusal (RFC 9457). `code` is stable and for programs; `detail` is
 * for people and says what to do.
 */
export type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  /** What was wrong where, when it was the input. */
  readonly errors?: readonly FieldProblem[];
  readonly request_id?: string;
};

export type FieldProblem = { readonly field: string; readonly problem: string };

const problems = {
  invalid_request: [400, 'The request is not valid'],
  invalid_json: [400, 'The body is not JSON'],
  unauthenticated: [401, 'A valid credential is needed'],
  forbidden: [403, 'This credential may not do that'],
  scope_missing: [403, 'The key lacks a scope'],
  tenant_suspended: [403, 'The tenant is suspended'],
  not_found: [404, 'There is no such thing'],
  unknown_reservation: [404, 'There is no such reservation'],
  unknown_ticket: [404, 'There is no such ticket'],
  unknown_decision: [404, 'There is no such decision to refund'],
  method_not_allowed: [405, 'Not by this method'],
  request_timeout: [408, 'The request took too long to arrive'],
  conflict: [409, 'Something is in the way'],
  version_conflict: [409, 'It was changed by somebody else'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The body must be JSON'],
  idempotency_conflict: [422, 'The idempotency key was used for another question'],
  too_many_failures: [429, 'Too many attempts with an unknown credential'],
  headers_too_large: [431, 'The headers are too large'],
  internal: [500, 'Something went wrong here'],
  unavailable: [503, 'Not available right now'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as ProblemCode[];

export function statusOf(code: ProblemCode): number {
  return problems[code][0];
}

/** Thrown by handlers; the door answers with it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    detail: string,
    {
      errors,
      headers = {},
      extensions = {},
    }: {
      readonly errors?: readonly FieldProblem[] | undefined;
      readonly headers?: Readonly<Record<string, string>>;
      /** Further members of the body. */
      readonly extensions?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.errors = errors;
    this.headers = headers;
    this.extensions = extensions;
  }

  get status(): number {
    return statusOf(this.code);
  }

  body(requestId?: string): ProblemBody {
    return {
      ...this.extensions,
      type: 'about:blank',
      title: problems[this.code][1],
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.errors ? { errors: this.errors } : {}),
      ...(requestId === undefined ? {} : { request_id: requestId }),
    };
  }
}
