import type { Deadline } from 'sluice';
import {
  bind,
  CheckQuestion,
  Decision,
  IdempotencyConflict,
  StoreFailure,
  whenStoreFails,
  type Answer,
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
  readonly engine: Pick<Engine, 'decide'>;
  readonly deadline: Deadline;
  readonly recorder: Pick<Recorder, 'note' | 'keyUsed'>;
  /** Whether an error means that the database can't be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly onRound: (kind: 'stale' | 'unknown') => void;
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

  /** One check. What the caller did wrong is thrown. */
  async check(asker: Asker, input: CheckInput): Promise<Checked> {
    const [outcome] = await this.checks(asker, [input]);
    if (outcome instanceof Error) throw outcome;
    return outcome as Checked;
  }

  /** Each on its own, in order, as few calls as possible. Who may not ask at all is thrown. */
  async checks(asker: Asker, inputs: readonly CheckInput[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    let caller = await this.admit(asker);
    let rounds = 0;
    let trusted = false;
    while (outcomes.length < inputs.length) {
      const prepared = prepareSome(inputs, outcomes.length, caller);
      const result = await this.#ask(caller, prepared, trusted);
      if (result instanceof StoreFailure || result.kind === 'answered') {
        outcomes.push(...this.#answered(prepared, result, caller));
        continue;
      }
      this.#parts.onRound(result.kind);
      rounds += 1;
      if (rounds > roundsMax) {
        outcomes.push(
          ...this.#answered(prepared, new StoreFailure('configuration keeps changing'), caller),
        );
        continue;
      }
      const again = await this.#again(asker, caller, result.kind);
      if (again) ({ caller, trusted } = again);
      else
        outcomes.push(
          ...this.#answered(prepared, new StoreFailure('configuration is stale'), caller),
        );
    }
    return outcomes;
  }

  /**
   * Who asks, if it may. What speaks against it is thrown: once the store has said that it is
   * current, for who is turned away asks nothing else that would tell.
   */
  async admit(asker: Asker): Promise<Caller> {
    const { identifier, trust } = this.#parts;
    const pending = trust?.pending;
    if (pending) await pending;
    const caller = await identifier.identify(asker.credential, asker.address);
    const denial = denialOf(caller, asker);
    if (!denial) return this.#admitted(caller);
    const result = await this.#ask(caller, [], false);
    if (result instanceof StoreFailure || result.kind === 'answered') throw denial;
    this.#parts.onRound(result.kind);
    const again = await this.#again(asker, caller, result.kind);
    if (!again) throw denial;
    return again.caller;
  }

  #admitted(caller: Caller): Caller {
    this.#parts.recorder.keyUsed(caller.key.id);
    return caller;
  }

  /**
   * From the beginning, with what the database says now. Where it does not answer: a store that
   * forgot what is current is told what we know; one that knows of something newer is believed, and
   * null says that we can't get it.
   */
  async #again(asker: Asker, caller: Caller, kind: 'stale' | 'unknown') {
    const { identifier, snapshots, isUnavailable } = this.#parts;
    const { tenant, epoch } = caller.snapshot;
    let current = caller;
    try {
      if (!(await snapshots.reload(tenant.id))) throw identifier.forget(caller.key, asker.address);
      current = await identifier.identify(asker.credential, asker.address);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (kind === 'stale') {
        if (!(await snapshots.loadNewer(tenant.id, epoch))) return null;
        current = await identifier.identify(asker.credential, asker.address);
      }
    }
    const denial = denialOf(current, asker);
    if (denial) throw denial;
    return { caller: this.#admitted(current), trusted: kind === 'unknown' };
  }

  async #ask(
    { snapshot }: Caller,
    prepared: readonly Prepared[],
    confirmed: boolean,
  ): Promise<DecideResult | StoreFailure> {
    const { engine, deadline } = this.#parts;
    const questions = prepared.flatMap((one) => ('question' in one ? [one.question] : []));
    // What is wrong by the configuration may be right by a newer one.
    if (questions.length === 0) questions.push(new CheckQuestion(nothing, []));
    const call = {
      tenant: snapshot.ref,
      questions,
      snapshot: confirmed ? { epoch: snapshot.epoch, confirmed } : { epoch: snapshot.epoch },
    };
    try {
      return await deadline.run(engine.decide(call));
    } catch (error) {
      if (error instanceof StoreFailure) return error;
      throw error;
    }
  }

  #answered(
    prepared: readonly Prepared[],
    result: Extract<DecideResult, { kind: 'answered' }> | StoreFailure,
    { snapshot }: Caller,
  ): Outcome[] {
    let next = 0;
    return prepared.map((one) => {
      if ('error' in one) return one.error;
      const { input, check, question, resolution } = one;
      const answer = result instanceof StoreFailure ? result : result.answers[next];
      next += 1;
      const decision = decisionOf(check, question, answer);
      if (decision instanceof Error) return decision;
      this.#parts.recorder.note(snapshot.ref, question, decision);
      return { decision, input, snapshot, resolution };
    });
  }
}

/** Asks for nothing: its answer says whether the snapshot is current. */
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

function denialOf({ key, snapshot }: Caller, { scope }: Asker): Denied | null {
  if (!key.scopes.includes(scope)) {
    return new Denied('scope_missing', `the key needs the scope ${scope}`);
  }
  if (snapshot.tenant.status === 'suspended') {
    return new Denied('tenant_suspended', 'the tenant is suspended; ask whoever runs this service');
  }
  return null;
}

type Prepared =
  | {
      readonly input: CheckInput;
      readonly check: ParsedCheck;
      readonly question: Question;
      readonly resolution: Resolution;
    }
  | { readonly error: Error };

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
