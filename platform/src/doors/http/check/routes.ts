import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { HeaderProfile } from 'sluice';
import { decisionToJson } from 'sluice/contract';
import { inAscii } from 'sluice/core';
import { headersOf } from 'sluice/headers';
import { Type } from 'typebox';
import {
  isShed,
  overload,
  type Checked,
  type CheckInput,
  type Decider,
} from '../../../decide/index.ts';
import type { CheckSink, Metrics, Tracing } from '../../../observe/index.ts';
import { answerAtOnce, headersOfAll } from '../answers.ts';
import { clientAddress } from '../client-address.ts';
import { problemResponses } from '../openapi.ts';
import { askerOf, idempotencyKeyIn, inputOf } from './input.ts';
import { asProblem, itemProblem } from './problems.ts';
import { Check, Checks, checksMax, Decision } from './schemas.ts';

export type CheckRouteParts = {
  readonly decider: Pick<Decider, 'check' | 'checks'>;
  readonly observer: CheckSink;
  readonly tracing: Tracing;
  readonly metrics: Pick<Metrics, 'checkStarted' | 'checkEnded' | 'checkShed'>;
  readonly headerProfile: HeaderProfile;
  /** Whether a request's id is an idempotency key where there is no other. */
  readonly requestIdKeys: boolean;
};

const checkBytesMax = 65_536;
const checksBytesMax = 4_194_304;
const json = 'application/json; charset=utf-8';
const askerProblems = [
  'invalid_request',
  'invalid_json',
  'unauthenticated',
  'scope_missing',
  'tenant_suspended',
  'body_too_large',
  'unsupported_media_type',
  'unavailable',
] as const;
const problems = {
  check: problemResponses(...askerProblems, 'not_found', 'idempotency_conflict'),
  checks: problemResponses(...askerProblems, 'too_many_failures'),
};

/** A refusal; or, of the callers that never came so far, those that guess keys. */
const refusal = {
  description: 'Refused: a decision. too_many_failures: a problem.',
  content: {
    'application/json': { schema: Type.Ref('Decision#') },
    'application/problem+json': { schema: Type.Ref('Problem#') },
  },
};

/** `POST /v1/check` and `POST /v1/checks`: the question and the answer. */
export const checkRoutes: FastifyPluginAsync<CheckRouteParts> = async (app, parts) => {
  const { decider, headerProfile, metrics, observer, requestIdKeys, tracing } = parts;
  const spelled = { profile: headerProfile, lowerCase: true };
  const watch = (
    route: string,
    { id: requestId }: FastifyRequest,
    checked: Checked,
    durationUs: number,
  ) => {
    const { decision, input, snapshot, resolution } = checked;
    const { id: tenant, tier, epoch } = snapshot;
    // To tell of each would cost more than it did to refuse it.
    if (isShed(checked)) return metrics.checkShed(route, tier, overload);
    const { subject, resource } = input;
    // Spelled out: to spread other objects into this one would take several times as long.
    observer.check({
      route,
      tenant,
      tier,
      epoch,
      planId: resolution.plan?.id ?? null,
      policy: resolution.policy?.pattern.text ?? null,
      subject,
      resource,
      decision,
      durationUs,
      requestId,
    });
  };
  app.addSchema(Check);
  app.addSchema(Decision);

  app.post(
    '/v1/check',
    {
      bodyLimit: checkBytesMax,
      schema: {
        tags: ['Check'],
        summary: 'May this subject do this, at this cost?',
        security: [{ apiKey: [] }, { bearer: [] }],
        body: Type.Ref('Check#'),
        response: { ...problems.check, 200: Type.Ref('Decision#'), 429: refusal },
      },
    },
    async (request, reply) => {
      const startedMs = performance.now();
      metrics.checkStarted();
      try {
        const asker = askerOf(request.headers, clientAddress(request), 'check');
        const input = inputOf(
          request.body as Check,
          idempotencyKeyIn(request.headers, requestIdKeys),
        );
        const checked = tracing.enabled
          ? await traced(tracing, () => decider.check(asker, input))
          : await decider.check(asker, input);
        const { decision } = checked;
        watch('/v1/check', request, checked, usSince(startedMs));
        const headers = headersOf(decision, spelled, headersOfAll(request));
        headers['content-type'] = json;
        const status = decision.allowed ? 200 : 429;
        return answerAtOnce(request, reply, { status, headers, text: decisionToJson(decision) });
      } catch (error) {
        throw asProblem(error);
      } finally {
        metrics.checkEnded();
      }
    },
  );

  app.post(
    '/v1/checks',
    {
      bodyLimit: checksBytesMax,
      schema: {
        tags: ['Check'],
        summary: `Up to ${checksMax} checks, each decided on its own`,
        description:
          'The answers come in the order of the checks. A check that can not be decided is a problem in its place, and the others count.',
        security: [{ apiKey: [] }, { bearer: [] }],
        body: Checks,
        response: {
          ...problems.checks,
          200: Type.Array(Type.Union([Type.Ref('Decision#'), Type.Ref('Problem#')])),
        },
      },
    },
    async (request, reply) => {
      const startedMs = performance.now();
      try {
        const asker = askerOf(request.headers, clientAddress(request), 'check');
        const items = readItems(request, (request.body as Checks).checks);
        const inputs = items.filter((item): item is CheckInput => !(item instanceof Error));
        const outcomes = await decider.checks(asker, inputs);
        // One time for all: they were decided together.
        const durationUs = usSince(startedMs);
        let text = '[';
        let next = 0;
        for (const item of items) {
          const outcome = item instanceof Error ? item : outcomes[next++];
          if (text !== '[') text += ',';
          if (outcome === undefined || outcome instanceof Error) {
            text += inAscii(JSON.stringify(itemProblem(outcome, request).body(request.id)));
          } else {
            watch('/v1/checks', request, outcome, durationUs);
            text += decisionToJson(outcome.decision);
          }
        }
        const headers = headersOfAll(request);
        headers['content-type'] = json;
        return answerAtOnce(request, reply, { status: 200, headers, text: `${text}]` });
      } catch (error) {
        throw asProblem(error);
      }
    },
  );
};

function usSince(startedMs: number): number {
  return (performance.now() - startedMs) * 1000;
}

/** With a span of its own. */
async function traced(tracing: Tracing, decide: () => Promise<Checked>): Promise<Checked> {
  const span = tracing.startCheck();
  try {
    const checked = await span.run(decide);
    const { snapshot, resolution, decision } = checked;
    span.end({ ...namesOf(snapshot, resolution), decision });
    return checked;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

function namesOf({ id, tier }: Checked['snapshot'], { plan, policy }: Checked['resolution']) {
  return {
    tenant: id,
    tier,
    planId: plan?.id ?? null,
    policy: policy?.pattern.text ?? null,
  };
}

/** Each as it is to be decided, or what is wrong with it. */
function readItems(request: FastifyRequest, bodies: readonly unknown[]): (CheckInput | Error)[] {
  const isValid = request.compileValidationSchema(Check, 'body');
  return bodies.map((body) => {
    try {
      if (isValid(body)) return inputOf(body as Check);
      return Object.assign(new Error('invalid'), { validation: isValid.errors ?? [] });
    } catch (error) {
      return error as Error;
    }
  });
}
