// What this proxy owes: a line before a generation begins, a line when it is settled. What has the
// first and not the second is still to be settled, by whoever reads this next.

import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A generation goes by the name of its reservation: each has one, and no two the same. */
export type Owed = {
  readonly reservationId: string;
  readonly requestId: string;
  readonly promptTokens: number;
};

type Line = { readonly begun: Owed } | { readonly settled: string };

export class Journal {
  readonly #file: FileHandle;
  #written: Promise<void> = Promise.resolve();
  /** What the process before us left behind. */
  readonly owed: readonly Owed[];

  private constructor(file: FileHandle, owed: readonly Owed[]) {
    this.#file = file;
    this.owed = owed;
  }

  static async open(path: string): Promise<Journal> {
    const file = await open(path, 'a+');
    await syncFolder(dirname(path));
    const text = await file.readFile('utf8');
    // Half a line at the end was never acted upon, and the next one must not stick to it.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    await file.truncate(Buffer.byteLength(whole));
    return new Journal(file, owedIn(whole));
  }

  /** Returns when it is on the disk: only then may the generation begin. */
  begun(owed: Owed): Promise<void> {
    return this.#append({ begun: owed });
  }

  settled(reservationId: string): Promise<void> {
    return this.#append({ settled: reservationId });
  }

  /** Once nothing is owed, an empty page says the same. */
  async clear(): Promise<void> {
    await this.#file.truncate(0);
    await this.#file.sync();
  }

  /** One after the other, so that lines stay whole. After a failure there is no other line. */
  #append(line: Line): Promise<void> {
    this.#written = this.#write(`${JSON.stringify(line)}\n`, this.#written);
    return this.#written;
  }

  async #write(line: string, before: Promise<void>): Promise<void> {
    await before;
    await this.#file.appendFile(line);
    await this.#file.datasync();
  }
}

function owedIn(text: string): Owed[] {
  const owed = new Map<string, Owed>();
  for (const written of text.split('\n').slice(0, -1)) {
    const line = JSON.parse(written) as Line;
    if ('begun' in line) owed.set(line.begun.reservationId, line.begun);
    else owed.delete(line.settled);
  }
  return [...owed.values()];
}

/** A new file is there after a power cut only if its folder knows of it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}
