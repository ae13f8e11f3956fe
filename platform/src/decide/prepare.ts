import { bind, CheckQuestion, type ParsedCheck, type Question } from 'sluice/core';
import type { Block } from '../snapshot/blocks.ts';
import { countedAs, select, type Resolution } from '../snapshot/rules.ts';
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
  /** It is shut out: nothing is asked but whether that is still so. */
  readonly shutOutBy: Block | null;
};
/** Or what its caller did wrong. */
export type Prepared = Asked | { readonly error: Error };

/** Whether what is decided is counted in the ledger. */
export type Counting = { readonly counts: boolean };

/** As many of the checks, from this one on, as fit into one call. */
export function prepareSome(
  inputs: readonly CheckInput[],
  from: number,
  caller: Caller,
  { counts }: Counting,
): Prepared[] {
  const prepared: Prepared[] = [];
  let limits = 0;
  for (let at = from; at < inputs.length && prepared.length < questionsPerCallMax; at += 1) {
    const one = prepare(inputs[at] as CheckInput, caller, { counts });
    limits += 'question' in one ? one.question.limits.length : 0;
    if (limits > limitsPerCallMax && prepared.length > 0) break;
    prepared.push(one);
  }
  return prepared;
}

export function prepare(input: CheckInput, caller: Caller, { counts }: Counting): Prepared {
  try {
    const resolution = rulesFor(input, caller).resolve(input.resource);
    const { key, snapshot } = caller;
    const by = { tenant: snapshot.tenantName, keyId: key.id };
    const check = parsedCheckOf(input, by, resolution);
    const block = blockOf(input, caller);
    if (block) return prepareBlocked({ input, check, resolution }, block, counts);
    // Spelled where it is looked at: with a key, which tells its question from others.
    const { idempotencyKey, planId = '', resource } = input;
    const asked = idempotencyKey === undefined ? resource : `${planId} ${resource}`;
    const { limits, label } = select(resolution, {
      subject: input.subject,
      attributes: input.attributes ?? noAttributes,
    });
    const question = new CheckQuestion(check, bind(limits, check), {
      ledgerLabel: counts ? label : undefined,
      asked,
      refundable: snapshot.refunds,
    });
    return { input, check, question, resolution, shutOutBy: null };
  } catch (error) {
    return { error: error as Error };
  }
}

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});

function blockOf(
  { subject, attributes = noAttributes }: CheckInput,
  { key, snapshot: { blocks } }: Caller,
): Block | null {
  return blocks.isEmpty ? null : blocks.of({ subject, keyId: key.id, attributes });
}

/** No limit is asked: of who is shut out for it is refused, of who may pass them for it is not. */
function prepareBlocked(
  { input, check, resolution }: Pick<Asked, 'input' | 'check' | 'resolution'>,
  block: Block,
  counts: boolean,
): Asked {
  const label = counts ? `${countedAs(resolution.policy)} ` : undefined;
  const shutOut = block.action === 'block';
  const question = shutOut
    ? new CheckQuestion(nothing, [], { ledgerLabel: label })
    : new CheckQuestion(check, [], { ledgerLabel: label, asked: input.resource });
  return { input, check, question, resolution, shutOutBy: shutOut ? block : null };
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
