import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderLock } from './folder-lock.ts';
import { identifyThisProcess } from './process-identity.ts';

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sluice-lock-'));
  folder = join(parent, 'postgres');
});

afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

describe('a folder', () => {
  test('is locked until it is released, and nothing is left behind', async () => {
    const lock = await FolderLock.take(folder);
    expect(await readdir(parent)).toEqual(['postgres.lock']);
    await lock.release();
    expect(await readdir(parent)).toEqual([]);
    await (await FolderLock.take(folder)).release();
  });

  test('in use is refused with the process that uses it and what to do', async () => {
    const lock = await FolderLock.take(folder);
    await expect(FolderLock.take(folder)).rejects.toThrow(
      `The database in ${folder} is in use by process ${process.pid}. Stop that process, or`,
    );
    expect(await readdir(parent)).toEqual(['postgres.lock']);
    await lock.release();
  });

  test('goes to exactly one of many who want it at once', async () => {
    for (let round = 0; round < 20; round++) {
      await (await takeAtOnce(10)).release();
      expect(await readdir(parent)).toEqual([]);
    }
  });

  test('of a dead process goes to exactly one of many who want it at once', async () => {
    for (let round = 0; round < 20; round++) {
      await leaveBehind({ pid: deadPid() });
      await (await takeAtOnce(10)).release();
      expect(await readdir(parent)).toEqual([]);
    }
  });

  test('of a process that died while it took over goes to exactly one as well', async () => {
    for (let round = 0; round < 20; round++) {
      await leaveBehind({ pid: deadPid(), token: 'first' });
      await leaveBehind({ pid: deadPid(), token: 'second' }, '.after-first');
      await leaveBehind({ pid: deadPid(), token: 'third' }, '.after-second');
      await (await takeAtOnce(10)).release();
      expect(await readdir(parent)).toEqual([]);
    }
  });

  test('is not taken over from the dead while another process is at it', async () => {
    await leaveBehind({ pid: deadPid(), token: 'first' });
    await leaveBehind({ token: 'second' }, '.after-first');
    await expect(FolderLock.take(folder)).rejects.toThrow('is in use');
    expect(JSON.parse(await readFile(`${folder}.lock`, 'utf8'))).toMatchObject({ token: 'first' });
  });

  test('of a process whose number now belongs to another is taken over', async () => {
    await leaveBehind({ started: 'another time' });
    await (await FolderLock.take(folder)).release();
  });

  test('of a machine that was started anew since is taken over', async () => {
    await leaveBehind({ place: 'another boot' });
    await age();
    await (await FolderLock.take(folder)).release();
  });

  test('with a lock that a power cut emptied is taken over', async () => {
    await writeFile(`${folder}.lock`, '');
    await age();
    await (await FolderLock.take(folder)).release();
  });

  test('of a process where we cannot look is refused while that touches its lock', async () => {
    await leaveBehind({ place: 'another container' });
    const touching = setInterval(() => void utimes(`${folder}.lock`, new Date(), new Date()), 200);
    await expect(FolderLock.take(folder)).rejects.toThrow('is in use');
    clearInterval(touching);
  });

  test('that another process took for abandoned is reported as lost, and left to it', async () => {
    const lock = await FolderLock.take(folder);
    const lost = new Promise<void>((resolve) => lock.onLost(resolve));
    await leaveBehind({ token: 'another' });
    await lost;
    await lock.release();
    expect(await readdir(parent)).toEqual(['postgres.lock']);
  });
});

async function takeAtOnce(count: number): Promise<FolderLock> {
  const results = await Promise.allSettled(
    Array.from({ length: count }, () => FolderLock.take(folder)),
  );
  const winners = results.filter((result) => result.status === 'fulfilled');
  const reasons = results.filter((result) => result.status === 'rejected');
  expect(winners).toHaveLength(1);
  for (const { reason } of reasons) expect(String(reason)).toContain('is in use');
  return winners[0]?.value as FolderLock;
}

type Left = { pid?: number; started?: string; place?: string; token?: string };

async function leaveBehind(holder: Left, suffix = ''): Promise<void> {
  const whole = { token: 'left', ...(await identifyThisProcess()), ...holder };
  await writeFile(`${folder}.lock${suffix}`, JSON.stringify(whole));
}

async function age(): Promise<void> {
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(`${folder}.lock`, longAgo, longAgo);
}

function deadPid(): number {
  return spawnSync('true').pid;
}
