import type { WireCheck, WireDecision } from 'sluice/contract';
import { problemOf } from '../../../api/problem.ts';
import { addressOf, send } from '../../../api/request.ts';
import { shownHeaders, type Answer } from './answer.ts';

export type Question = {
  readonly key: string;
  readonly check: WireCheck;
};

export function checkOf(planId: string, subject: string, cost: number): WireCheck {
  return {
    resource: 'GET:/hello',
    subject,
    plan_id: planId,
    ...(cost === 1 ? {} : { cost }),
  };
}

/** One real `POST /v1/check`. A refusal is an answer; everything else that is no 200 is thrown. */
export async function ask(
  { key, check }: Question,
  signal: AbortSignal,
): Promise<Omit<Answer, 'number' | 'burst'>> {
  const startMs = performance.now();
  const headers = { 'x-api-key': key };
  const response = await send('POST', 'v1/check', { body: check, headers, signal });
  if (response.status !== 200 && response.status !== 429) throw await problemOf(response);
  const body = (await response.json()) as WireDecision | { readonly detail: string };
  if (!('allowed' in body)) throw new Error(body.detail);
  return {
    atMs: Date.now(),
    tookMs: performance.now() - startMs,
    status: response.status,
    decision: body,
    headers: shownHeaders.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
  };
}

export async function release(key: string, ticket: string): Promise<void> {
  const headers = { 'x-api-key': key };
  // What is not released lapses by itself.
  await send('POST', 'v1/release', { body: { ticket }, headers }).catch(() => undefined);
}

/** The same question, for a terminal. */
export function curlOf({ key, check }: Question): string {
  return [
    `curl -i ${addressOf('v1/check').href}`,
    `-H 'x-api-key: ${key}'`,
    `-H 'content-type: application/json'`,
    `-d '${JSON.stringify(check)}'`,
  ].join(' ');
}
