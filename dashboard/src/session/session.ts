import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../api/query-client.ts';
import { ApiProblem } from '../api/problem.ts';
import { admin, bearer } from '../api/request.ts';
import { roles, type Me, type Role } from '../api/objects.ts';
import { setToken, useToken } from './token.ts';

export type Session = {
  /** Null while signed out, and until the service has said whose token it is. */
  readonly me: Me | null;
  readonly isSignedIn: boolean;
  readonly isChecking: boolean;
  /** Why the service could not say. */
  readonly error: Error | null;
  /** May change what limits are made of. Hides controls only: the service decides. */
  readonly canWrite: boolean;
  /** The tenant that is all the token reaches; null is the whole platform. */
  readonly tenantId: string | null;
  hasRole(least: Role): boolean;
};

export function useSession(): Session {
  const token = useToken();
  const { data, error, isFetching } = useQuery({
    queryKey: ['me', token],
    queryFn: () => admin<Me>('GET', 'me'),
    enabled: token !== null,
    staleTime: 60_000,
  });
  const me = token === null ? null : (data ?? null);
  const hasRole = (least: Role) => me !== null && roles.indexOf(me.role) >= roles.indexOf(least);
  return {
    me,
    isSignedIn: me !== null,
    isChecking: token !== null && !me && isFetching,
    error: token === null ? null : error,
    canWrite: hasRole('operator'),
    tenantId: me?.tenant_id ?? null,
    hasRole,
  };
}

/** Keeps the token only if the service knows it. */
export async function signIn(token: string): Promise<Me> {
  const me = await admin<Me>('GET', 'me', { headers: bearer(token) }).catch((error: unknown) => {
    throw isElsewhere(error) ? elsewhere() : error;
  });
  queryClient.clear();
  queryClient.setQueryData(['me', token], me);
  setToken(token);
  return me;
}

export function signOut(): void {
  setToken(null);
  queryClient.clear();
}

/** The service may listen for operators at an address of their own. */
function isElsewhere(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404;
}

function elsewhere(): ApiProblem {
  return new ApiProblem(
    404,
    'elsewhere',
    'The admin API is not served here. Open the console at the address of SLUICE_ADMIN_ADDR.',
  );
}
