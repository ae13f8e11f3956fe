import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { InvalidInput } from 'sluice/core';
import { Type } from 'typebox';
import type { Settlements } from '../../../decide/index.ts';
import type { Metrics } from '../../../observe/index.ts';
import { askerOf } from '../check/input.ts';
import { asProblem } from '../check/problems.ts';
import { clientAddress } from '../client-address.ts';
import { problemResponses } from '../openapi.ts';
import { Problem, type ProblemCode } from '../problem.ts';
import { askedCosts, shownCosts } from './costs.ts';
import {
  Heartbeat,
  Refund,
  Refunded,
  Release,
  Released,
  Renewed,
  Settle,
  Settled,
} from './schemas.ts';

export type SettleRouteParts = {
  readonly settlements: Settlements;
  readonly metrics: Pick<Metrics, 'followedUp'>;
};

const bytesMax = 16_384;
const problems = (...unknownCodes: readonly ProblemCode[]) =>
  problemResponses(
    'invalid_request',
    'invalid_json',
    'unauthenticated',
    'scope_missing',
    'tenant_suspended',
    ...unknownCodes,
    'body_too_large',
    'unsupported_media_type',
    'too_many_failures',
    'unavailable',
  );

/** What callers say after a check. Each may be said again: it is done once. */
export const settleRoutes: FastifyPluginAsync<SettleRouteParts> = async (app, parts) => {
  const { settlements, metrics } = parts;
  for (const schema of [Settle, Settled, Release, Released]) app.addSchema(schema);
  for (const schema of [Heartbeat, Renewed, Refund, Refunded]) app.addSchema(schema);
  const follow = <T>(verb: string, names: Names, work: (request: FastifyRequest) => Promise<T>) => {
    app.post(`/v1/${verb}`, { bodyLimit: bytesMax, schema: schemaOf(names) }, async (request) => {
      try {
        return await work(request);
      } catch (error) {
        throw asProblem(error);
      }
    });
  };
  const asker = (request: FastifyRequest, scope: string) =>
    askerOf(request.headers, clientAddress(request), scope);

  follow('settle', settleNames, async (request): Promise<Settled> => {
    const body = request.body as Settle;
    const costs = askedCosts(body);
    if (!costs) throw new InvalidInput('cost', 'say what was used: `cost`, `costs` or both');
    const settlement = { reservationId: body.reservation_id, costs };
    const result = await settlements.settle(asker(request, 'settle'), settlement);
    const late = result.kind === 'settled' && result.late;
    metrics.followedUp('settle', late ? 'late' : result.kind);
    if (result.kind === 'unknown') throw unknown('reservation');
    return {
      settled: result.kind === 'settled',
      late: result.late,
      ...shownCosts(result.costs, result.kind === 'settled' ? body.cost : 0),
      debt: result.debt,
    };
  });

  follow('release', releaseNames, async (request): Promise<Released> => {
    const { ticket } = request.body as Release;
    const result = await settlements.release(asker(request, 'settle'), ticket);
    metrics.followedUp('release', result);
    if (result === 'unknown') throw unknown('ticket');
    return { released: result === 'released' };
  });

  follow('heartbeat', heartbeatNames, async (request): Promise<Renewed> => {
    const beat = beatOf(request.body as Heartbeat);
    const result = await settlements.heartbeat(asker(request, 'settle'), beat);
    metrics.followedUp('heartbeat', result.kind);
    if (result.kind === 'unknown') {
      throw unknown('ticket' in beat ? 'ticket' : 'reservation');
    }
    const renewed = result.kind === 'held';
    return { renewed, expires_at: renewed ? Math.floor(result.untilUs / 1_000_000) : null };
  });

  follow('refund', refundNames, async (request): Promise<Refunded> => {
    const body = request.body as Refund;
    const refund = { id: body.decision_id, costs: askedCosts(body) };
    const result = await settlements.refund(asker(request, 'refund'), refund);
    metrics.followedUp('refund', result.kind);
    if (result.kind === 'unknown') throw unknown('decision');
    const { cost, costs } = shownCosts(result.kind === 'refunded' ? result.costs : {});
    const refunded = cost > 0 || Object.keys(costs).length > 0;
    return { refunded, cost, costs };
  });
};

type Names = {
  readonly summary: string;
  readonly body: string;
  readonly answer: string;
  readonly unknown: readonly ProblemCode[];
};

const settleNames: Names = {
  summary: 'What it really cost',
  body: 'Settle',
  answer: 'Settled',
  unknown: ['unknown_reservation'],
};
const releaseNames: Names = {
  summary: 'An open call has ended',
  body: 'Release',
  answer: 'Released',
  unknown: ['unknown_ticket'],
};
const heartbeatNames: Names = {
  summary: 'Still at it',
  body: 'Heartbeat',
  answer: 'Renewed',
  unknown: ['unknown_ticket', 'unknown_reservation'],
};
const refundNames: Names = {
  summary: 'Give back what was charged',
  body: 'Refund',
  answer: 'Refunded',
  unknown: ['unknown_decision'],
};

function schemaOf({ summary, body, answer, unknown: codes }: Names) {
  return {
    tags: ['Check'],
    summary,
    security: [{ apiKey: [] }, { bearer: [] }],
    body: Type.Ref(`${body}#`),
    response: { ...problems(...codes), 200: Type.Ref(`${answer}#`) },
  };
}

const unknowns = {
  reservation:
    'This tenant never made it, or it was settled over an hour or ran out over a day ago.',
  ticket: 'It was not given out to this tenant.',
  decision:
    'It charged nothing that is kept: it was refused, degraded or only a look; or it is too old (its windows are over, or a day has passed); or it was reserved: settle it instead; or the tenant had no key with the scope refund then.',
} as const;

/** Codes of their own: who takes a wrong address for a forgotten reservation would lose it. */
function unknown(what: keyof typeof unknowns): Problem {
  return new Problem(`unknown_${what}`, unknowns[what]);
}

function beatOf({ ticket, reservation_id: reservationId, ttl_ms: ttlMs }: Heartbeat) {
  if (ticket !== undefined && reservationId !== undefined) {
    throw new InvalidInput('reservation_id', 'name either a ticket or a reservation, not both');
  }
  if (ticket !== undefined) return { ticket, ttlMs };
  if (reservationId !== undefined) return { reservationId, ttlMs };
  throw new InvalidInput('ticket', 'name a ticket or a reservation');
}
