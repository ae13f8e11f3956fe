import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type {
  Answer,
  BoundLimit,
  Decided,
  Engine,
  Question,
  Reading,
  TenantRef,
} from '../../limiter/src/core/engine.ts';
import { view, type LimitView } from '../../limiter/src/core/view.ts';
import { engineKinds, openEngine, type EngineKind, type OpenOptions } from '../support/engines.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { question } from '../support/limits.ts';

/** One engine on a clock moved by hand; every test has a tenant and the time to itself. */
export type Rig = {
  readonly kind: EngineKind;
  readonly engine: Engine;
  readonly clock: FakeClock;
  readonly tenant: TenantRef;
  /** Another tenant, on the same engine and clock. */
  readonly elsewhere: (tenant?: TenantRef) => Rig;
  /** One question about all these limits. */
  readonly ask: (...limits: readonly BoundLimit[]) => Promise<Answered>;
  readonly askWith: (
    more: Partial<Omit<Question, 'limits'>>,
    ...limits: readonly BoundLimit[]
  ) => Promise<Answered>;
  /** All questions in one call. Readings come as plain data, to be compared. */
  readonly askAll: (...questions: readonly Question[]) => Promise<readonly RigAnswer[]>;
  readonly readings: (...limits: readonly BoundLimit[]) => Promise<readonly Reading[]>;
  /** What the counter shows to a call of this cost, without touching it. */
  readonly look: (bound: BoundLimit) => Promise<LimitView>;
};

/** With the id of the question that was charged. */
export type Answered = Decided & { readonly id: string; readonly replayed: boolean };
export type RigAnswer = Answered | Exclude<Answer, Decided>;

/** The same guarantees, once for each engine. */
export function onEveryEngine(
  topic: string,
  tests: (rig: Rig) => void,
  options: OpenOptions = {},
): void {
  for (const kind of engineKinds) {
    describe(`${topic} (${kind})`, () => {
      const opened: { current?: Awaited<ReturnType<typeof openEngine>> } = {};
      const rig = rigOn(kind, () => {
        if (!opened.current) throw new Error('the engine opens with the first test');
        return opened.current;
      });
      let startUs = 0;
      beforeAll(async () => {
        opened.current = await openEngine(kind, options);
        startUs = opened.current.clock.nowUs;
      });
      beforeEach(() => {
        rig.tenant = { id: randomUUID() };
        rig.clock.nowUs = startUs;
      });
      afterAll(() => opened.current?.close());
      tests(rig);
    });
  }
}

type Opened = Awaited<ReturnType<typeof openEngine>>;

type MovableRig = Omit<Rig, 'tenant'> & { tenant: TenantRef };

function rigOn(kind: EngineKind, opened: () => Opened): MovableRig {
  const askAll: Rig['askAll'] = async (...questions) => {
    const result = await rig.engine.decide({ tenant: rig.tenant, questions });
    if (result.kind !== 'answered') throw new Error(`not answered: ${result.kind}`);
    return result.answers.map((answer, at) => plainAnswer(answer, questions[at]?.id ?? ''));
  };
  const askWith: Rig['askWith'] = async (more, ...limits) => {
    const [answer] = await askAll(question(limits, more));
    return decidedOf(answer);
  };
  const readings: Rig['readings'] = async (...limits) =>
    (await rig.engine.inspect(rig.tenant, limits)).readings.map(plainReading);
  const rig: MovableRig = {
    kind,
    tenant: { id: '' },
    get engine() {
      return opened().engine;
    },
    get clock() {
      return opened().clock;
    },
    elsewhere: (tenant = { id: randomUUID() }) => {
      const other = rigOn(kind, opened);
      other.tenant = tenant;
      return other;
    },
    ask: (...limits: readonly BoundLimit[]) => askWith({}, ...limits),
    askWith,
    askAll,
    readings,
    look: async (bound: BoundLimit) => {
      const { nowUs, readings: seen } = await rig.engine.inspect(rig.tenant, [bound]);
      return view(bound, seen[0] as Reading, nowUs);
    },
  };
  return rig;
}

function plainAnswer(answer: Answer, askedId: string): RigAnswer {
  if (answer.kind === 'conflict') return answer;
  const { replayOf, readings } = answer;
  const id = replayOf ?? askedId;
  return { ...answer, readings: readings.map(plainReading), id, replayed: replayOf !== null };
}

/** A copy: an engine may answer with more than the port says, and with a state that it changes. */
function plainReading({ verdict, state, held, heldUntilUs, blockedUntilUs }: Reading): Reading {
  return { verdict, state: { ...state }, held, heldUntilUs, blockedUntilUs };
}

export function decidedOf(answer: RigAnswer | undefined): Answered {
  if (answer?.kind !== 'decided') throw new Error(`not decided: ${answer?.kind}`);
  return answer;
}

/** What an answer shows of one of its limits. */
export function shown(answer: Decided, bound: BoundLimit, at = 0): LimitView {
  return view(bound, answer.readings[at] as Reading, answer.nowUs);
}

export function verdictsOf(answer: Decided): string[] {
  return answer.readings.map(({ verdict }) => verdict);
}
