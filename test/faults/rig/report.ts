import { appendFileSync } from 'node:fs';
import { isLong, scale } from './size.ts';

/** One number of a campaign beside what it must be. */
export type Figure = {
  readonly name: string;
  readonly measured: number;
  readonly target: string;
  readonly isMet: boolean;
  /** Whether the campaign fails when it is not met. Times do not: the machine is shared. */
  readonly isBinding: boolean;
};

export type Result = {
  readonly id: string;
  readonly name: string;
  /** 1 is the full size; null the short form. */
  readonly scale: number | null;
  readonly figures: readonly Figure[];
  /** How large the run was, and what the figures do not say. */
  readonly notes: readonly string[];
};

/** A time beyond this many times its target is a failure on any machine; not told every day. */
const absurdFactor = 10;

/** The figures of one campaign. */
export class Report {
  readonly #id: string;
  readonly #name: string;
  readonly #figures: Figure[] = [];
  readonly #notes: string[] = [];

  constructor(id: string, name: string) {
    this.#id = id;
    this.#name = name;
  }

  /** What must be this number, or the promise is broken. */
  exactly(name: string, measured: number, target: number): void {
    this.#add({ name, measured, target: `${target}`, isMet: measured === target, isBinding: true });
  }

  atMost(name: string, measured: number, target: number): void {
    const isMet = measured <= target;
    this.#add({ name, measured, target: `≤ ${shown(target)}`, isMet, isBinding: true });
  }

  atLeast(name: string, measured: number, target: number): void {
    const isMet = measured >= target;
    this.#add({ name, measured, target: `≥ ${shown(target)}`, isMet, isBinding: true });
  }

  /** A time, a rate or a size that depends on the machine: told, and binding only when absurd. */
  aim(name: string, measured: number, target: number): void {
    const isMet = measured <= target;
    const isBinding = isLong && target > 0 && measured > absurdFactor * target;
    this.#add({ name, measured, target: `≤ ${shown(target)}`, isMet, isBinding });
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  get result(): Result {
    const [id, name] = [this.#id, this.#name];
    return { id, name, scale, figures: this.#figures, notes: this.#notes };
  }

  /** `T36  Script cache flush: failed decisions 0 (target 0)  …` */
  get line(): string {
    const figures = this.#figures.map(
      ({ name, measured, target, isMet }) =>
        `${name} ${shown(measured)} (target ${target}${isMet ? '' : ', MISSED'})`,
    );
    const notes = this.#notes.map((note) => `[${note}]`);
    return `${this.#id}  ${this.#name}: ${[...figures, ...notes].join('  ')}`;
  }

  /** Prints the line, and adds it to the results where they are asked for. */
  publish(): void {
    console.log(this.line);
    const path = process.env['FAULT_RESULTS'];
    if (path) appendFileSync(path, `${JSON.stringify(this.result)}\n`);
  }

  /** What makes the campaign fail. */
  get broken(): readonly string[] {
    return this.#figures
      .filter(({ isMet, isBinding }) => isBinding && !isMet)
      .map(({ name, measured, target }) => `${name}: ${shown(measured)}, target ${target}`);
  }

  #add(figure: Figure): void {
    this.#figures.push(figure);
  }
}

/** Short enough for a line; whole numbers as they are. */
function shown(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(3)));
}
