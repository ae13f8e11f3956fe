import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setToken } from '../session/token.ts';
import { ApiProblem } from './problem.ts';

const attemptsMax = 3;

/** A token that is known no more ends the session, whichever request finds out. */
function endSession(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 401) setToken(null);
}

function isWorthRepeating(failures: number, error: unknown): boolean {
  return failures < attemptsMax && error instanceof ApiProblem && error.isPassing;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endSession }),
  mutationCache: new MutationCache({ onError: endSession }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: isWorthRepeating,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
    },
    // A change that got no answer may have been made.
    mutations: { retry: false },
  },
});
