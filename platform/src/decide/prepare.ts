import { bind, CheckQuestion, type ParsedCheck, type Question } from 'sluice/core';
import type { Resolution } from '../snapshot/rules.ts';
import { parsedCheckOf, rulesFor, type CheckInput } from './check-input.ts';
import type { Caller } from './identify.ts';

const questionsPerCallMax = 100;
const limitsPerCallMax = 1000;

/** A check as the engine is asked. */
export type Asked = {
  readonly input: CheckInput;
  readonly check: ParsedCheck;
  readonly question: Question;
  readonly resolution: Resolution;
};
/** Or what its caller did wrong. */
export type Prepared = Asked | { readonly error: Error };

/** As many of the checks, from this one on, as fit into one call. */
export function prepareSome(
  inputs: readonly CheckInput[],
  from: number,
  caller: Caller,
): Prepared[] {
  const prepared: Prepared[] = [];
  let limits = 0;
  for (let at = from; at < inputs.length && prepared.length < questionsPerCallMax; at += 1) {
    const one = prepare(inputs[at] as CheckInput, caller);
    limits += 'question' in one ? one.question.limits.length : 0;
    if (limits > limitsPerCallMax && prepared.length > 0) break;
    prepared.push(one);
  }
  return prepared;
}

export function prepare(input: CheckInput, caller: Caller): Prepared {
  try {
    const resolution = rulesFor(input, caller).resolve(input.resource);
    const check = parsedCheckOf(input, caller, resolution);
    const asked = `${input.planId ?? ''} ${input.resource}`;
    const limits = bind(resolution.limits, check);
    const question = new CheckQuestion(check, limits, resolution.label, asked);
    return { input, check, question, resolution };
  } catch (error) {
    return { error: error as Error };
  }
}

const nothing: ParsedCheck = Object.freeze({
  resource: '',
  subject: '',
  tenant: '',
  key: null,
  cost: 0,
  costs: {},
  attributes: {},
  idempotencyKey: null,
  reserve: null,
});

/** Asks for nothing: its answer says whether the snapshot is current. */
export function questionOfNothing(): Question {
  return new CheckQuestion(nothing, []);
}
