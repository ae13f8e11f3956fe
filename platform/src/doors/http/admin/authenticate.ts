import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../control/actor.ts';
import type { Tokens } from '../../../control/tokens/tokens.ts';
import { clientAddress } from '../client-address.ts';
import { Problem } from '../problem.ts';

/** How many wrong tokens may come from one address. */
export type Failures = {
  /** What to answer when there were too many. */
  limitOf(address: string): Error | null;
  count(address: string): unknown;
};

const bearerPattern = /^Bearer +([\x21-\x7e]{1,512})$/i;

/** One answer to all that is wrong with a token: which it was is nobody's business. */
export async function authenticate(
  request: FastifyRequest,
  { tokens, failures }: { readonly tokens: Tokens; readonly failures: Failures },
): Promise<Actor> {
  const text = bearerPattern.exec(request.headers.authorization ?? '')?.[1];
  if (text === undefined) {
    throw new Problem('unauthenticated', 'Send an admin token as Authorization: Bearer.');
  }
  const address = clientAddress(request);
  // Before any look-up, so that guessing costs the database nothing.
  const limited = failures.limitOf(address);
  if (limited) throw limited;
  const actor = await tokens.authenticate(text, request.id);
  if (actor) return actor;
  failures.count(address);
  throw new Problem('unauthenticated', 'This token is not known, not valid any more, or mistyped.');
}
