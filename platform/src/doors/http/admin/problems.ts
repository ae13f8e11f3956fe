import { Conflict, Forbidden, NotFound, VersionConflict } from '../../../control/errors.ts';
import { TooManyFailures, UnknownPlan } from '../../../decide/index.ts';
import { Problem } from '../problem.ts';

/** What stands in the way of a change, in the words of this door. The rest is left as it is. */
export function toAdminError(error: unknown): unknown {
  if (error instanceof UnknownPlan) return new Problem('not_found', sentence(error));
  if (error instanceof NotFound) return new Problem('not_found', sentence(error));
  if (error instanceof Forbidden) return new Problem('forbidden', sentence(error));
  if (error instanceof VersionConflict) {
    return new Problem('version_conflict', sentence(error), {
      headers: { etag: `"${error.current}"` },
    });
  }
  if (error instanceof Conflict) {
    const errors = error.field === null ? undefined : [{ field: error.field, problem: 'is taken' }];
    return new Problem('conflict', sentence(error), { errors });
  }
  if (error instanceof TooManyFailures) {
    const seconds = Math.ceil(error.retryAfterMs / 1000);
    return new Problem('too_many_failures', 'Too many wrong tokens came from here; wait.', {
      headers: { 'retry-after': String(seconds) },
    });
  }
  return error;
}

function sentence({ message }: Error): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
