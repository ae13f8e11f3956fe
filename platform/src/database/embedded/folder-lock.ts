import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyThisProcess, isAlive, type ProcessIdentity } from './process-identity.ts';

const beatMs = 2_000;
/** A holder where we can't look is gone when it did not touch its lock for that long. */
const silenceMs = 10_000;
/** Older than this, nobody need be waited for. */
const longAgoMs = 60_000;
const attemptsMax = 20;

type Holder = ProcessIdentity & { readonly token: string };

/**
 * One process at a time for a folder: PostgreSQL in a thread has no lock of its own, and two on
 * the same files destroy them. The lock is a file beside the folder that names its holder; it is
 * taken over from a holder that died, and by one process only.
 */
export class FolderLock {
  readonly #path: string;
  readonly #mine: Holder;
  readonly #beat: NodeJS.Timeout;
  #onLost: () => void = () => {};

  private constructor(path: string, mine: Holder) {
    this.#path = path;
    this.#mine = mine;
    this.#beat = setInterval(() => void this.#touch(), beatMs).unref();
  }

  static async take(folder: string): Promise<FolderLock> {
    const path = `${folder}.lock`;
    const mine: Holder = { token: randomUUID(), ...(await identifyThisProcess()) };
    // Written in full before it has the name that others look for.
    const draft = `${path}.${mine.token}`;
    await writeFile(draft, JSON.stringify(mine), { flag: 'wx' });
    try {
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        if (await linkUnlessThere(draft, path)) return new FolderLock(path, mine);
        const holder = await readHolder(path);
        if (holder === undefined) continue;
        await assertGone(path, holder, folder);
        if (await succeed({ path, dead: holder, draft, folder })) return new FolderLock(path, mine);
      }
    } finally {
      await rm(draft, { force: true });
    }
    throw new Error(`The lock ${path} changes hands all the time. Start one process only.`);
  }

  /** Another process, which could not see ours, took it for dead. */
  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  async #touch(): Promise<void> {
    try {
      if (await this.#isMine()) {
        const now = new Date();
        await utimes(this.#path, now, now);
      } else {
        clearInterval(this.#beat);
        this.#onLost();
      }
    } catch {
      // A disk that does not answer now may do so the next time.
    }
  }

  async #isMine(): Promise<boolean> {
    return (await readHolder(this.#path))?.token === this.#mine.token;
  }

  async release(): Promise<void> {
    clearInterval(this.#beat);
    if (await this.#isMine()) await rm(this.#path, { force: true });
  }
}

type Succession = {
  readonly path: string;
  readonly dead: Holder;
  readonly draft: string;
  readonly folder: string;
};

/**
 * Whoever makes the file that is named after the dead holder is its only successor, or comes after
 * one that died while it was at it. False: the lock is no longer the dead one's, look again.
 */
async function succeed({ path, dead, draft, folder }: Succession): Promise<boolean> {
  const claims: string[] = [];
  for (let last = dead; ;) {
    const claim = `${path}.after-${last.token}`;
    claims.push(claim);
    if (await linkUnlessThere(draft, claim)) break;
    const rival = await readHolder(claim);
    if (rival === undefined) return false;
    await assertGone(claim, rival, folder);
    last = rival;
  }
  // From here on nobody else may touch the dead one's lock. Its claims are removed after it.
  const isStillThere = (await readHolder(path))?.token === dead.token;
  if (isStillThere) await rename(draft, path);
  await Promise.all(claims.map((claim) => rm(claim, { force: true })));
  return isStillThere;
}

async function assertGone(path: string, holder: Holder, folder: string): Promise<void> {
  if (!((await isAlive(holder)) ?? (await isTouched(path)))) return;
  throw new Error(
    `The database in ${folder} is in use by process ${holder.pid}. Stop that process, or keep this one's data in another folder.`,
  );
}

/** Whether the holder is seen to touch its lock. */
async function isTouched(path: string): Promise<boolean> {
  const first = await touchedAt(path);
  if (first === undefined || first < Date.now() - longAgoMs) return false;
  for (let waitedMs = 0; waitedMs < silenceMs; waitedMs += beatMs) {
    await sleep(beatMs);
    const now = await touchedAt(path);
    if (now !== first) return now !== undefined;
  }
  return false;
}

async function touchedAt(path: string): Promise<number | undefined> {
  return (await unlessMissing(stat(path)))?.mtimeMs;
}

/** Undefined when there is no such file. */
async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await unlessMissing(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Holder;
  } catch {
    // A power cut can leave it empty. Nobody is known to hold it, but it may still be touched.
    return { token: `unreadable-${await touchedAt(path)}`, pid: 0, started: '', place: '' };
  }
}

async function linkUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
