import type { LocalShares } from 'sluice';
import {
  Decision,
  IdempotencyConflict,
  isPeek,
  refusedUnasked,
  StoreFailure,
  storeFailureIn,
  whenStoreFails,
  type Answer,
  type DecideCall,
  type DecideResult,
  type Engine,
  type ParsedCheck,
  type Question,
  type TenantRef,
} from 'sluice/core';
import type { Credential } from '../control/credentials/credential.ts';
import type { Resolution } from '../snapshot/rules.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { StoreTime } from '../snapshot/store-time.ts';
import type { Trusts } from '../snapshot/trusts.ts';
import type { CheckInput } from './check-input.ts';
import { Denied } from './errors.ts';
import type { Caller, Identifier } from './identify.ts';
import { prepare, questionOfNothing, type Asked, type Prepared } from './prepare.ts';
import type { Recorder } from './recorder.ts';
import { shutOutDecision } from './shut-out.ts';
import { Turns } from './turns.ts';
import { unconfirmedKey, type UnconfirmedKeys } from './unconfirmed-keys.ts';
import { allTogether, answerAt, eachByItself, type Final, type Way } from './way.ts';

export type DeciderParts = {
  readonly identifier: Pick<Identifier, 'identify' | 'forget'>;
  readonly snapshots: Snapshots;
  readonly trust: Pick<Trusts, 'pending' | 'pendingAt'> | null;
  readonly unconfirmed: Pick<UnconfirmedKeys, 'refusesUnasked' | 'admits' | 'toldByUs'>;
  /** Answers in time, or fails: nothing here looks at the clock. */
  readonly engine: Pick<Engine, 'decide'>;
  /** For limits that fail local. */
  readonly local: Pick<LocalShares, 'heard' | 'answer'>;
  readonly recorder: Pick<Recorder, 'note' | 'shutOut' | 'keyUsed'>;
  readonly quotas: QuotaWatch;
  /** Whether usage is counted. */
  readonly counts: boolean;
  readonly time: Pick<StoreTime, 'heard'>;
  /** Whether an error means that the database can't be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly onRound: (kind: News['kind']) => void;
};

/** Remembers what is used of quotas, should the store forget. */
export type QuotaWatch = {
  note(tenant: TenantRef, decision: Decision): void;
  /** Tells a store that forgot. */
  restore(tenant: TenantRef): Promise<void>;
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

/**
 * Identify → resolve → decide. The store tells when the snapshot is older than what is published;
 * then all of it is done again with a newer one.
 */
export class Decider {
  readonly #parts: DeciderParts;
  readonly #turns = new Turns();

  constructor(parts: DeciderParts) {
    this.#parts = parts;
  }

  /**
   * One check. What the caller did wrong is thrown. The same as `checks` with one, which nearly all
   * calls are: where caller and tenant are known it waits once, for the store.
   */
  async check(asker: Asker, input: CheckInput): Promise<Checked> {
    const admitted = this.admit(asker);
    const caller = admitted instanceof Promise ? await admitted : admitted;
    const prepared = prepare(input, caller, this.#parts);
    if ('error' in prepared) return this.#goOnWith(asker, input, { caller, news: null });
    let result: DecideResult | StoreFailure | null = this.#unasked(caller);
    try {
      result ??= await this.#parts.engine.decide(callOf(caller, [prepared.question], false));
    } catch (error) {
      result = storeFailureIn(error);
    }
    if (!isFinal(result)) return this.#goOnWith(asker, input, { caller, news: result });
    return checkedIn(this.#answer(prepared, answerAt(result, 0), caller));
  }

  async #goOnWith(asker: Asker, input: CheckInput, from: From): Promise<Checked> {
    return checkedIn((await this.#goOn(asker, [input], from))[0]);
  }

  /** Null where the store is to be asked. */
  #unasked(caller: Caller): StoreFailure | null {
    return this.#parts.unconfirmed.refusesUnasked(caller) ? new StoreFailure(unconfirmedKey) : null;
  }

  /** Each on its own, in order, as few calls as possible. Who may not ask at all is thrown. */
  async checks(asker: Asker, inputs: readonly CheckInput[]): Promise<readonly Outcome[]> {
    const caller = await this.admit(asker);
    const decide = () => this.#goOn(asker, inputs, { caller, news: null });
    return this.#turns.take(caller.snapshot.id, inputs.length, decide);
  }

  /** All of them or none: no limit is charged for one of them where another is refused. */
  async together(asker: Asker, inputs: readonly CheckInput[]): Promise<readonly Outcome[]> {
    const caller = await this.admit(asker);
    return this.#goOn(asker, inputs, { caller, news: null }, allTogether);
  }

  async #goOn(
    asker: Asker,
    inputs: readonly CheckInput[],
    from: From,
    how: Way = eachByItself,
  ): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    let { caller, news } = from;
    let rounds = 0;
    let trusted = false;
    while (outcomes.length < inputs.length) {
      let failure: StoreFailure | null = null;
      if (news) {
        this.#parts.onRound(news.kind);
        rounds += 1;
        const again = rounds > roundsMax ? 'changing' : await this.#again(asker, caller, news);
        if (again === 'changing') failure = new StoreFailure('configuration keeps changing');
        else if (again === null) failure = new StoreFailure('configuration is stale');
        else if (again instanceof StoreFailure) failure = again;
        else ({ caller, trusted } = again);
        news = null;
      }
      const prepared = how.prepare(inputs, outcomes.length, caller, this.#parts);
      const asking = how.asking(prepared);
      failure ??= this.#unasked(caller);
      const result = failure ?? (await this.#ask(caller, asking.questions, trusted));
      if (isFinal(result)) {
        outcomes.push(...this.#answered(prepared, asking.answersIn(result), caller));
      } else news = result;
    }
    return outcomes;
  }

  /**
   * Who asks, if it may. What speaks against it is thrown: once the store has said that it is
   * current, for who is turned away asks nothing else that would tell.
   */
  admit(asker: Asker): Caller | Promise<Caller> {
    const { identifier, trust } = this.#parts;
    const pending = trust?.pending;
    if (pending) return pending.then(() => this.admit(asker));
    const caller = identifier.identify(asker.credential, asker.address);
    if (caller instanceof Promise) return caller.then((found) => this.#admitOne(asker, found));
    return this.#admitOne(asker, caller);
  }

  /** The same for who then asks nothing that would tell whether what we know is current. */
  async admitCurrent(asker: Asker): Promise<Caller> {
    return this.#current(asker, await this.admit(asker));
  }

  #admitOne(asker: Asker, caller: Caller): Caller | Promise<Caller> {
    const pending = this.#parts.trust?.pendingAt(caller.snapshot.ref.place);
    if (pending) return pending.then(() => this.admit(asker));
    const denial = denialOf(caller, asker);
    return denial ? this.#deny(asker, caller, denial) : this.#admitted(caller);
  }

  async #deny(asker: Asker, caller: Caller, denial: Denied): Promise<Caller> {
    const current = await this.#current(asker, caller);
    if (current === caller) throw denial;
    return current;
  }

  /** The same caller where the store says that what we know of it is current, or says nothing. */
  async #current(asker: Asker, caller: Caller): Promise<Caller> {
    const result = await this.#ask(caller, [], false);
    if (isFinal(result)) return caller;
    this.#parts.onRound(result.kind);
    const again = await this.#again(asker, caller, result);
    return again === null || again instanceof StoreFailure ? caller : again.caller;
  }

  #admitted(caller: Caller): Caller {
    this.#parts.recorder.keyUsed(caller.key);
    return caller;
  }

  /**
   * From the beginning, with what was left by who changed it, or what the database says now. Where it
   * does not answer: a store that forgot what is current is told what we know; one that knows of
   * something newer is believed, and null says that we can't get it. A failure of the store is
   * returned.
   */
  async #again(asker: Asker, caller: Caller, { kind, nowUs }: News) {
    const { identifier, snapshots, quotas, time, isUnavailable } = this.#parts;
    const { id, epoch, validUntilUs = Number.POSITIVE_INFINITY } = caller.snapshot;
    time.heard(nowUs);
    let current = caller;
    try {
      if (kind === 'stale' && validUntilUs <= nowUs) {
        // What it says has started or ended is known here: no need to ask for it.
        return this.#turned(asker, await identifier.identify(asker.credential, asker.address));
      }
      // Who made the change left it for all nodes: no need to wait for the database, which may hang.
      const left = kind === 'stale' ? await snapshots.loadNewer(id, epoch) : null;
      if (!left && !(await snapshots.reload(id))) {
        throw identifier.forget(caller.key, asker.address);
      }
      current = await identifier.identify(asker.credential, asker.address);
      // As of now: it may be counted elsewhere than where we asked.
      if (kind === 'unknown') await quotas.restore(current.snapshot.ref);
    } catch (error) {
      // A store that was not told what is used of quotas must not decide by them.
      if (error instanceof StoreFailure) return error;
      if (!isUnavailable(error)) throw error;
      if (kind === 'stale') return null;
      this.#parts.unconfirmed.toldByUs(current);
    }
    return { ...this.#turned(asker, current), trusted: kind === 'unknown' };
  }

  #turned(asker: Asker, current: Caller) {
    const denial = denialOf(current, asker);
    if (denial) throw denial;
    return { caller: this.#admitted(current), trusted: false };
  }

  async #ask(
    caller: Caller,
    asked: readonly Question[],
    confirmed: boolean,
  ): Promise<DecideResult | StoreFailure> {
    // What is wrong by the configuration may be right by a newer one.
    const questions = asked.length > 0 ? asked : [questionOfNothing()];
    try {
      return await this.#parts.engine.decide(callOf(caller, questions, confirmed));
    } catch (error) {
      return storeFailureIn(error);
    }
  }

  #answered(
    prepared: readonly Prepared[],
    answerTo: (asked: Asked) => Answer | StoreFailure,
    caller: Caller,
  ): Outcome[] {
    return prepared.map((one) =>
      'error' in one ? one.error : this.#answer(one, answerTo(one), caller),
    );
  }

  #answer(
    { input, check, question, resolution, shutOutBy }: Asked,
    answer: Answer | StoreFailure,
    caller: Caller,
  ): Outcome {
    const { recorder, quotas } = this.#parts;
    const { snapshot } = caller;
    const decision = shutOutBy
      ? shutOutDecision(shutOutBy, { check, question, answer })
      : this.#decisionOf(caller, check, question, answer);
    if (decision instanceof Error) return decision;
    if (!shutOutBy) recorder.note(snapshot.ref, question, decision);
    else if (!isPeek(check)) recorder.shutOut(snapshot.ref, question, decision);
    quotas.note(snapshot.ref, decision);
    if (snapshot.validUntilUs !== undefined) this.#hear(answer);
    return { decision, input, snapshot, resolution };
  }

  #decisionOf(
    caller: Caller,
    check: ParsedCheck,
    question: Question,
    answer: Answer | StoreFailure,
  ): Decision | Error {
    const { local, unconfirmed } = this.#parts;
    if (!unconfirmed.admits(caller, !(answer instanceof StoreFailure))) {
      return refusedUnasked(unconfirmedKey, check, { id: question.id, limits: [] });
    }
    const tenant = caller.snapshot.ref;
    if (answer instanceof StoreFailure) {
      return whenStoreFails(answer, check, question, local.answer(tenant, question));
    }
    if (answer.kind === 'conflict') return new IdempotencyConflict();
    local.heard(tenant, question, answer);
    return new Decision({
      check,
      question,
      answer,
      basis: answer.degraded === 'overflow' ? 'local' : 'exact',
      degradedReason: answer.degraded,
    });
  }

  /** What a snapshot says may end by the store's clock: best to know it before it does. */
  #hear(answer: Answer | StoreFailure): void {
    if (answer instanceof StoreFailure || answer.kind !== 'decided') return;
    if (answer.replayOf === null) this.#parts.time.heard(answer.nowUs);
  }
}

function denialOf({ key, snapshot }: Caller, { scope }: Asker): Denied | null {
  if (!key.scopes.includes(scope)) {
    return new Denied('scope_missing', `the key needs the scope ${scope}`);
  }
  if (snapshot.isSuspended) {
    return new Denied('tenant_suspended', 'the tenant is suspended; ask whoever runs this service');
  }
  return null;
}

/** Why the store did not decide: there is something newer, or it does not know. */
type News = Exclude<DecideResult, { kind: 'answered' }>;

/** Who asks, as far as is known, and what the store said of that. */
type From = { readonly caller: Caller; readonly news: News | null };

function checkedIn(outcome: Outcome | undefined): Checked {
  if (outcome instanceof Error) throw outcome;
  return outcome as Checked;
}

function isFinal(result: DecideResult | StoreFailure): result is Final {
  return result instanceof StoreFailure || result.kind === 'answered';
}

function callOf(
  { snapshot }: Caller,
  questions: readonly Question[],
  confirmed: boolean,
): DecideCall {
  const { ref, epoch, validUntilUs } = snapshot;
  const asked = confirmed ? { epoch, validUntilUs, confirmed } : snapshot;
  return { tenant: ref, questions, snapshot: asked };
}
