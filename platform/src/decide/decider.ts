import {
  bind,
  CheckQuestion,
  Decision,
  IdempotencyConflict,
  StoreFailure,
  whenStoreFails,
  type Answer,
  type DecideCall,
  type DecideResult,
  type Engine,
  type ParsedCheck,
  type Question,
} from 'sluice/core';
import type { Credential } from '../control/credentials/credential.ts';
import type { Resolution } from '../snapshot/rules.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { Trust } from '../snapshot/trust.ts';
import { parsedCheckOf, rulesFor, type CheckInput } from './check-input.ts';
import { Denied } from './errors.ts';
import type { Caller, Identifier } from './identify.ts';
import type { Recorder } from './recorder.ts';

export type DeciderParts = {
  readonly identifier: Identifier;
  readonly snapshots: Snapshots;
  readonly trust: Trust | null;
  /** Answers in time, or fails: nothing here looks at the clock. */
  readonly engine: Pick<Engine, 'decide'>;
  readonly recorder: Pick<Recorder, 'note' | 'keyUsed'>;
  /** Whether an error means that the database can't be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly onRound: (kind: News) => void;
};

/** Who asks, from where, with which right. */
export type Asker = {
  readonly credential: Credential | null;
  readonly address: string;
  readonly scope: string;
};

/** A check that was answered, with what it was answered from. */
export type Checked = {
  readonly decision: Decision;
  readonly input: CheckInput;
  readonly snapshot: Snapshot;
  readonly resolution: Resolution;
};

/** For each check its answer, or what its caller did wrong. */
export type Outcome = Checked | Error;

const roundsMax = 2;
const questionsPerCallMax = 100;
const limitsPerCallMax = 1000;

/**
 * Identify → resolve → decide. The store tells when the snapshot is older than what is published;
 * then all of it is done again with a newer one.
 */
export class Decider {
  readonly #parts: DeciderParts;

  constructor(parts: DeciderParts) {
    this.#parts = parts;
  }

  /**
   * One check. What the caller did wrong is thrown. The same as `checks` with one, which nearly all
   * calls are: where caller and tenant are known it waits once, for the store.
   */
  async check(asker: Asker, input: CheckInput): Promise<Checked> {
    const { trust, engine } = this.#parts;
    const pending = trust?.pending;
    if (pending) await pending;
    const admitted = this.admit(asker);
    const caller = admitted instanceof Promise ? await admitted : admitted;
    const prepared = prepare(input, caller);
    if ('error' in prepared) throw prepared.error;
    let result: DecideResult | StoreFailure;
    try {
      result = await engine.decide(callOf(caller, [prepared.question], false));
    } catch (error) {
      result = failureOf(error);
    }
    const outcome = isFinal(result)
      ? this.#answer(prepared, answerAt(result, 0), caller)
      : (await this.#goOn(asker, [input], { caller, news: result.kind }))[0];
    if (outcome instanceof Error) throw outcome;
    return outcome as Checked;
  }

  /** Each on its own, in order, as few calls as possible. Who may not ask at all is thrown. */
  async checks(asker: Asker, inputs: readonly CheckInput[]): Promise<readonly Outcome[]> {
    const pending = this.#parts.trust?.pending;
    if (pending) await pending;
    return this.#goOn(asker, inputs, { caller: await this.admit(asker), news: null });
  }

  async #goOn(
    asker: Asker,
    inputs: readonly CheckInput[],
    from: { readonly caller: Caller; readonly news: News | null },
  ): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    let { caller, news } = from;
    let rounds = 0;
    let trusted = false;
    while (outcomes.length < inputs.length) {
      let failure: StoreFailure | null = null;
      if (news) {
        this.#parts.onRound(news);
        rounds += 1;
        const again = rounds > roundsMax ? 'changing' : await this.#again(asker, caller, news);
        if (again === 'changing') failure = new StoreFailure('configuration keeps changing');
        else if (again === null) failure = new StoreFailure('configuration is stale');
        else ({ caller, trusted } = again);
        news = null;
      }
      const prepared = prepareSome(inputs, outcomes.length, caller);
      const result = failure ?? (await this.#ask(caller, prepared, trusted));
      if (isFinal(result)) outcomes.push(...this.#answered(prepared, result, caller));
      else news = result.kind;
    }
    return outcomes;
  }

  /** Who asks, if it may. What speaks against it is thrown. */
  admit(asker: Asker): Caller | Promise<Caller> {
    const caller = this.#parts.identifier.identify(asker.credential, asker.address);
    if (caller instanceof Promise) return caller.then((found) => this.#admitted(asker, found));
    return this.#admitted(asker, caller);
  }

  #admitted(asker: Asker, caller: Caller): Caller {
    if (!caller.key.scopes.includes(asker.scope)) {
      throw new Denied('scope_missing', `the key needs the scope ${asker.scope}`);
    }
    if (caller.snapshot.tenant.status === 'suspended') {
      throw new Denied(
        'tenant_suspended',
        'the tenant is suspended; ask whoever runs this service',
      );
    }
    this.#parts.recorder.keyUsed(caller.key.id);
    return caller;
  }

  /**
   * From the beginning, with what the database says now. Where it does not answer: a store that
   * forgot what is current is told what we know; one that knows of something newer is believed, and
   * null says that we can't get it.
   */
  async #again(asker: Asker, caller: Caller, kind: News) {
    const { snapshots, isUnavailable } = this.#parts;
    const { tenant, epoch } = caller.snapshot;
    try {
      await snapshots.reload(tenant.id);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (kind === 'unknown') return { caller, trusted: true };
      if (!(await snapshots.loadNewer(tenant.id, epoch))) return null;
    }
    return { caller: await this.admit(asker), trusted: kind === 'unknown' };
  }

  async #ask(
    caller: Caller,
    prepared: readonly Prepared[],
    confirmed: boolean,
  ): Promise<DecideResult | StoreFailure> {
    const questions = prepared.flatMap((one) => ('question' in one ? [one.question] : []));
    if (questions.length === 0) return { kind: 'answered', answers: [] };
    try {
      return await this.#parts.engine.decide(callOf(caller, questions, confirmed));
    } catch (error) {
      return failureOf(error);
    }
  }

  #answered(prepared: readonly Prepared[], result: Final, caller: Caller): Outcome[] {
    let next = 0;
    return prepared.map((one) => {
      if ('error' in one) return one.error;
      const answer = answerAt(result, next);
      next += 1;
      return this.#answer(one, answer, caller);
    });
  }

  #answer(
    { input, check, question, resolution }: Asked,
    answer: Answer | StoreFailure | undefined,
    { snapshot }: Caller,
  ): Outcome {
    const decision = decisionOf(check, question, answer);
    if (decision instanceof Error) return decision;
    this.#parts.recorder.note(snapshot.ref, question, decision);
    return { decision, input, snapshot, resolution };
  }
}

type Final = Extract<DecideResult, { kind: 'answered' }> | StoreFailure;
/** Why the store did not decide: there is something newer, or it does not know. */
type News = Exclude<DecideResult, { kind: 'answered' }>['kind'];

function isFinal(result: DecideResult | StoreFailure): result is Final {
  return result instanceof StoreFailure || result.kind === 'answered';
}

function answerAt(result: Final, at: number): Answer | StoreFailure | undefined {
  return result instanceof StoreFailure ? result : result.answers[at];
}

function failureOf(error: unknown): StoreFailure {
  if (error instanceof StoreFailure) return error;
  throw error;
}

function callOf(
  { snapshot: { ref, epoch } }: Caller,
  questions: readonly Question[],
  confirmed: boolean,
): DecideCall {
  return { tenant: ref, questions, snapshot: confirmed ? { epoch, confirmed } : { epoch } };
}

type Asked = {
  readonly input: CheckInput;
  readonly check: ParsedCheck;
  readonly question: Question;
  readonly resolution: Resolution;
};
type Prepared = Asked | { readonly error: Error };

/** As many of the checks, from this one on, as fit into one call. */
function prepareSome(inputs: readonly CheckInput[], from: number, caller: Caller): Prepared[] {
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

function prepare(input: CheckInput, caller: Caller): Prepared {
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

function decisionOf(
  check: ParsedCheck,
  question: Question,
  answer: Answer | StoreFailure | undefined,
): Decision | Error {
  if (answer instanceof StoreFailure) return whenStoreFails(answer, check, question);
  if (answer === undefined) return whenStoreFails(new StoreFailure('no answer'), check, question);
  if (answer.kind === 'conflict') return new IdempotencyConflict();
  return new Decision({
    check,
    question,
    answer,
    basis: answer.degraded === 'overflow' ? 'local' : 'exact',
    degradedReason: answer.degraded,
  });
}
