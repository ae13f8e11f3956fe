import type {
  DecisionFacts,
  LedgerCount,
  LedgerOutcome,
  LedgerRecord,
  TenantRef,
} from 'sluice/core';

/** What became of a call, as a line's marks begin; the store itself counts those that it charged. */
export type CallMark = 'blocked' | 'degraded' | 'admitted';

/** Calls of one kind in one minute: of one label, refused by the same limits. */
type Line = {
  readonly minute: number;
  readonly marks: string;
  readonly kinds: readonly Kind[];
  count: number;
};
type Kind = Pick<LedgerCount, 'outcome' | 'label'>;

export type Sending = {
  readonly tenant: TenantRef;
  readonly record: LedgerRecord;
  /** What it was made of. */
  readonly lines: readonly Line[];
};

/** Bounds one script's work: nobody else is answered meanwhile. */
const linesPerRecordMax = 300;

/** What is to be written in one tenant's ledger: what is being sent, and what came since. */
export class Outbox {
  /** As last heard of. */
  tenant: TenantRef;
  /** A label is mostly the very same text from call to call: it is found without spelling a key. */
  readonly #byLabel = new Map<string, Line[]>();
  #sending: Sending | null = null;

  constructor(tenant: TenantRef) {
    this.tenant = tenant;
  }

  /** Whether there was a line to count it in. */
  count(label: string, minute: number, marks: string): boolean {
    for (const line of this.#byLabel.get(label) ?? noLines) {
      if (line.minute === minute && line.marks === marks) {
        line.count += 1;
        return true;
      }
    }
    return false;
  }

  start(label: string, line: Omit<Line, 'count'>): void {
    const lines = this.#byLabel.get(label);
    const started = { ...line, count: 1 };
    if (lines) lines.push(started);
    else this.#byLabel.set(label, [started]);
  }

  /** What is to be sent next: what was sent and perhaps not written comes first, as it was. */
  next(stamp: () => Omit<LedgerRecord, 'counts'>): Sending | null {
    if (this.#sending || this.#byLabel.size === 0) return this.#sending;
    const sums = new Map<string, LedgerCount>();
    const lines: Line[] = [];
    for (const [label, some] of this.#byLabel) {
      if (lines.length > 0 && lines.length + some.length > linesPerRecordMax) break;
      this.#byLabel.delete(label);
      lines.push(...some);
      for (const line of some) addTo(sums, line);
    }
    const record = { ...stamp(), counts: [...sums.values()] };
    this.#sending = { tenant: this.tenant, record, lines };
    return this.#sending;
  }

  /** What was sent is written. Returns how many lines there are less. */
  sent(): number {
    const lines = this.#sending?.lines.length ?? 0;
    this.#sending = null;
    return lines;
  }

  /** How many calls would be lost if nothing more were written. */
  get calls(): number {
    let calls = 0;
    for (const { count } of this.#sending?.lines ?? noLines) calls += count;
    for (const lines of this.#byLabel.values()) for (const { count } of lines) calls += count;
    return calls;
  }
}

const noLines: readonly Line[] = [];

function addTo(sums: Map<string, LedgerCount>, { kinds, minute, count }: Line): void {
  for (const { outcome, label } of kinds) {
    const name = `${minute} ${outcome} ${label}`;
    const before = sums.get(name)?.count ?? 0;
    sums.set(name, { minute, outcome, label, count: before + count });
  }
}

/** Which limits refused, one letter for each: calls with the same are counted alike. */
export function marksOf(call: CallMark, { question, answer }: DecisionFacts): string {
  const { readings } = answer;
  let marks = call[0] as string;
  for (let at = 0; at < readings.length; at += 1) {
    if (readings[at]?.verdict === 'ok') marks += '-';
    else marks += question.limits[at]?.limit.enforced ? 'r' : 'w';
  }
  // Without the store those that fail closed refused, and no other is among the limits.
  if (readings.length === 0 && call === 'blocked') {
    for (const { limit } of question.limits) marks += ` ${limit.name}`;
  }
  return marks;
}

/** What each call with these marks counts: the call itself, and each limit that refused. */
export function kindsOf(call: CallMark, label: string, facts: DecisionFacts): Kind[] {
  const resource = label.slice(0, label.lastIndexOf(' '));
  const kind = (outcome: LedgerOutcome, names: readonly string[]) => ({
    outcome,
    label: `${resource} ${names.join()}`,
  });
  const observed = namesOf(facts, false);
  const wouldBlock = observed.length > 0 ? [kind('would_block', observed)] : [];
  if (call === 'admitted') return wouldBlock;
  if (call === 'degraded') return [kind('degraded', [])];
  return [kind('blocked', namesOf(facts, true)), ...wouldBlock];
}

function namesOf({ question, answer, basis }: DecisionFacts, enforced: boolean): string[] {
  const refusing = question.limits.filter(({ limit }, at) => {
    if (limit.enforced !== enforced) return false;
    const reading = answer.readings[at];
    return reading ? reading.verdict !== 'ok' : basis === 'fail_closed';
  });
  return refusing.map(({ limit }) => limit.name);
}
