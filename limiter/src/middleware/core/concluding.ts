import type { DecisionView, LimiterPort } from '../../core/limiter-port.ts';
import { parseWhole } from '../../core/numbers.ts';
import type { HeaderOptions } from '../../headers/index.ts';
import type { Asked, Made } from './asking.ts';
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

  conclude(asked: Asked<Native>, made: Made, visit: Visit<Native>): Maybe<Outcome> {
    const { facts, mode, rules, count } = asked;
    const { decision } = made;
    this.#remember(asked, made, visit);
    if (!decision.allowed && mode === 'enforce')
      return this.#refuse(facts, decision, visit.headers());
    visit.tell();
    const isHeld = rules.delay === 'hold' && mode === 'enforce' && count === 0;
    if (!isHeld || decision.delayMs === 0) return passed;
    const heldMs = Math.min(decision.delayMs, this.#holdMsMax);
    return after(hold(heldMs, facts.response), (stayed) => (stayed ? passed : { kind: 'gone' }));
  }

  #remember(
    { rules, mode }: Asked<Native>,
    { decision, port, caller }: Made,
    visit: Visit<Native>,
  ) {
    const { tenant } = caller;
    visit.add({
      decision,
      port,
      mode,
      tenant,
      rules,
      // Under `shadow` nobody is told.
      headers: mode === 'shadow' ? null : this.#headers,
      // A retry's ticket is that of the first call, which gives it back.
      isOurs: !decision.replayed,
      stop: decision.replayed ? null : this.#beat(port, decision, tenant),
      isSettled: false,
    });
  }

  #refuse(facts: Facts<Native>, decision: DecisionView, headers: Headers): Maybe<Outcome> {
    const refusal = refusalOf(decision, headers);
    const { onRefused } = this.#options;
    if (!onRefused) return toOutcome(refusal);
    return after(onRefused(facts.native, { ...refusal, decision }), (changed) =>
      toOutcome(changed ? changedRefusal(refusal, changed) : refusal),
    );
  }

  #beat(port: LimiterPort, { ticket, reservation }: DecisionView, tenant: string | undefined) {
    const held =
      ticket !== null ? { ticket } : reservation ? { reservationId: reservation.id } : null;
    if (!held) return null;
    const staleMs = port.staleAfterMs ?? staleMsDefault;
    const everyMs = this.#options.heartbeatMs ?? Math.max(50, staleMs / 3);
    let heartbeats = this.#heartbeats.get(everyMs);
    if (!heartbeats) {
      heartbeats = new Heartbeats(everyMs, this.#onError);
      this.#heartbeats.set(everyMs, heartbeats);
    }
    return heartbeats.start(port, { ...held, ...(tenant !== undefined && { tenant }) });
  }
}
