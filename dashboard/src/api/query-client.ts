import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { endSession } from '../session/end-session.ts';
import { ApiProblem } from './problem.ts';

const attemptsMax = 3;

function noticeEnd(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 401) endSession();
}

function isWorthRepeating(failures: number, error: unknown): boolean {
  return failures < attemptsMax && error instanceof ApiProblem && error.isPassing;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: isWorthRepeating,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
    },
    // A change that got no answer may have been made. What it answered is forgotten with the page
    // that shows it: it may be a secret.
    mutations: { retry: false, gcTime: 0 },
  },
});
