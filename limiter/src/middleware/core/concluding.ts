import type { DecisionView, Held, LimiterPort } from '../../core/limiter-port.ts';
import { parseWhole } from '../../core/numbers.ts';
import type { HeaderOptions } from '../../headers/index.ts';
import type { Asked } from './asking.ts';
import type { Entry } from './entry.ts';
import { passed, type Facts, type Outcome } from './facts.ts';
import { Heartbeats } from './heartbeats.ts';
import { hold } from './hold.ts';
import { after, type Maybe } from './maybe.ts';
import type { RateLimitOptions } from './options.ts';
import { parseHeaderOptions } from './parse-options.ts';
import { changedRefusal, refusalOf, toOutcome } from './refusal.ts';
import type { Visit } from './visit.ts';

type Headers = Readonly<Record<string, string>>;

/** Without a limiter that says when its tickets are stale. */
const staleMsDefault = 30_000;

/** What is done with an answer: by the mode, with headers, held or refused. */
export class Concluding<Native> {
  readonly #options: RateLimitOptions<Native>;
  readonly #headers: HeaderOptions;
  readonly #holdMsMax: number;
  readonly #heartbeats = new Map<number, Heartbeats>();
  readonly #onError: (error: unknown) => void;

  constructor(
    options: RateLimitOptions<Native>,
    { lowerCase, onError }: { lowerCase: boolean; onError: (error: unknown) => void },
  ) {
    this.#options = options;
    this.#onError = onError;
    this.#headers = { lowerCase, ...parseHeaderOptions(options) };
    this.#holdMsMax = parseWhole('holdMsMax', options.holdMsMax ?? 10_000, { min: 0, max: 60_000 });
    if (options.heartbeatMs === undefined) return;
    parseWhole('heartbeatMs', options.heartbeatMs, { min: 10, max: 3_600_000 });
  }

  conclude(asked: Asked<Native>, entry: Entry<Native>, visit: Visit<Native>): Maybe<Outcome> {
    const { facts, mode, rules, count } = asked;
    this.#remember(entry, visit);
    if (!entry.allowed && mode === 'enforce')
      return this.#refuse(facts, entry.decision, visit.headers());
    visit.tell();
    const isHeld = rules.delay === 'hold' && mode === 'enforce' && count === 0;
    if (!isHeld || entry.decision.delayMs === 0) return passed;
    const heldMs = Math.min(entry.decision.delayMs, this.#holdMsMax);
    return after(hold(heldMs, facts.response), (stayed) => (stayed ? passed : { kind: 'gone' }));
  }

  /** Let in, with nothing to be done about it in the end. */
  pass(entry: Entry<Native>, visit: Visit<Native>): Outcome {
    entry.headers = this.#headers;
    visit.add(entry);
    visit.tell();
    return passed;
  }

  #remember(entry: Entry<Native>, visit: Visit<Native>): void {
    // Under `shadow` nobody is told.
    if (entry.mode !== 'shadow') entry.headers = this.#headers;
    const { held, port, rules } = entry;
    if (held) entry.stop = this.#beat(port, held);
    visit.add(entry);
    if (held || rules.refundIf) visit.watch();
  }

  #refuse(facts: Facts<Native>, decision: DecisionView, headers: Headers): Maybe<Outcome> {
    const refusal = refusalOf(decision, headers);
    const { onRefused } = this.#options;
    if (!onRefused) return toOutcome(refusal);
    return after(onRefused(facts.native, { ...refusal, decision }), (changed) =>
      toOutcome(changed ? changedRefusal(refusal, changed) : refusal),
    );
  }

  #beat(port: LimiterPort, held: Held): () => void {
    const staleMs = port.staleAfterMs ?? staleMsDefault;
    const everyMs = this.#options.heartbeatMs ?? Math.max(50, staleMs / 3);
    let heartbeats = this.#heartbeats.get(everyMs);
    if (!heartbeats) {
      heartbeats = new Heartbeats(everyMs, this.#onError);
      this.#heartbeats.set(everyMs, heartbeats);
    }
    return heartbeats.start(port, held);
  }
}
