export type FieldProblem = { readonly field: string; readonly problem: string };

/** What the service said when it could not do as asked (its `application/problem+json`). */
export class ApiProblem extends Error {
  readonly status: number;
  /** Stable, for programs; `unreachable` where there was no answer at all. */
  readonly code: string;
  readonly errors: readonly FieldProblem[];
  readonly requestId: string | null;

  constructor(
    status: number,
    code: string,
    detail: string,
    {
      errors = [],
      requestId = null,
    }: {
      readonly errors?: readonly FieldProblem[];
      readonly requestId?: string | null;
    } = {},
  ) {
    super(detail);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = requestId;
  }

  /** Another attempt may succeed without anything being changed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

export function unreachable(): ApiProblem {
  return new ApiProblem(0, 'unreachable', 'The service did not answer. Is it running?');
}

type ProblemBody = {
  readonly code?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly errors?: readonly FieldProblem[];
  readonly request_id?: string;
};

/** The one place where an answer that is an error becomes words. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as ProblemBody;
  const { code = 'internal', errors = [], request_id: requestId = null } = body;
  const detail = hints[code] ?? body.detail ?? body.title ?? `Status ${response.status}.`;
  return new ApiProblem(response.status, code, detail, { errors, requestId });
}

/** Where what helps a program would not help a person before a page. */
const hints: Readonly<Record<string, string>> = {
  version_conflict: 'Somebody else changed this meanwhile. Load it again, then repeat your change.',
  too_many_failures: 'Too many wrong tokens came from your address. Wait a little.',
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
