import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './logger.ts';

const secret = 'hunter2';
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true })));
});

async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-log-'));
  folders.push(folder);
  return join(folder, 'out', 'sluice.jsonl');
}

function gather(options: LoggerOptions = {}) {
  let text = '';
  const log = createLogger({ ...options, destination: { write: (more) => (text += more) } });
  const lines = async () => {
    await log.close();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { log, lines, text: () => text };
}

describe('a log', () => {
  it('is one JSON object a line, with level and time, in the order things were said', async () => {
    const { log, lines } = gather();
    log.logger.info({ event: 'started', port: 8080 }, 'listening');
    log.write('{"event":"by hand"}\n');
    log.logger.warn('careful');
    expect(await lines()).toEqual([
      expect.objectContaining({ level: 'info', event: 'started', port: 8080, msg: 'listening' }),
      { event: 'by hand' },
      expect.objectContaining({ level: 'warn', pid: process.pid, time: expect.any(Number) }),
    ]);
  });

  it('is written as it was said, whatever letters it has', async () => {
    const path = await freshPath();
    const log = createLogger({ destination: path });
    const said = 'жук 🪲 \u007f \u{2028}é';
    log.logger.info({ name: said }, said);
    log.write('{"event":"by hand"}\n');
    await log.close();
    const [line, byHand] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ name: said, msg: said });
    expect(byHand).toBe('{"event":"by hand"}');
  });

  it('can’t be forged through what is logged', async () => {
    const { log, lines } = gather();
    log.logger.info({ name: 'x\n{"level":"fatal"}\r\u2028' }, 'a\nb');
    expect(await lines()).toHaveLength(1);
  });

  it('never shows credentials, wherever they are', async () => {
    const { log, text } = gather();
    const headers = {
      authorization: `Bearer ${secret}`,
      cookie: secret,
      'set-cookie': secret,
      'x-api-key': secret,
      'idempotency-key': secret,
    };
    log.logger.info(headers, 'top');
    log.logger.info({ headers }, 'nested');
    log.logger.info({ req: { headers }, res: { headers } }, 'request');
    log.logger.info({ deep: { deeper: { still: { headers } } } }, 'deep');
    log.logger.info({ 'Set-Cookie': [secret, `a"];${secret}`], cookie: `\\"${secret}` }, 'odd');
    log.logger.info({ key: secret, token: secret, password: secret }, 'fields');
    log.logger.error(new Error(`connect redis://:${secret}@127.0.0.1:1 failed`));
    log.logger.error({
      err: Object.assign(new Error('x'), { input: `postgres://u:${secret}@h/d` }),
    });
    log.logger.info(`the key slk_abc_${secret} and Bearer ${secret}`);
    log.logger.child({ authorization: secret }).info('child');
    await log.close();
    expect(text().match(/\n/g)).toHaveLength(10);
    expect(() =>
      text()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).not.toThrow();
    expect(text()).not.toContain(secret);
  });

  it('says only what its level asks for', async () => {
    const { log, lines } = gather({ level: 'warn' });
    log.logger.info('no');
    log.logger.warn('yes');
    expect(log.wantsInfo).toBe(false);
    expect(await lines()).toHaveLength(1);
  });

  it('reaches a file whole by the time it is closed', async () => {
    const path = await freshPath();
    const log = createLogger({ destination: path });
    for (let i = 0; i < 5_000; i++) log.write(`{"i":${i}}\n`);
    await log.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(5_000);
    expect(lines.at(-1)).toBe('{"i":4999}');
  });

  it('is written within a moment also when nothing follows', async () => {
    const { log, text } = gather();
    log.write('{"event":"lonely"}\n');
    await expect.poll(text).toContain('lonely');
    await log.close();
  });
});

describe('a destination that fails', () => {
  it('is never felt by who logs, and what is lost is counted', async () => {
    let dropped = 0;
    const destination = {
      write: () => {
        throw new Error('no space');
      },
    };
    const log = createLogger({ destination, onDrop: (lines) => (dropped += lines) });
    log.logger.info('one');
    for (let i = 0; i < 2_000; i++) log.write(`{"i":${i}}\n`);
    await log.close();
    expect(dropped).toBe(2_001);
  });

  it.runIf(existsSync('/dev/full'))('holds up neither the process nor its end', async () => {
    let dropped = 0;
    const log = createLogger({ destination: '/dev/full', onDrop: (lines) => (dropped += lines) });
    const line = `{"text":"${'x'.repeat(1_000)}"}\n`;
    for (let i = 0; i < 12_000; i++) {
      log.write(line);
      if (i % 1_000 === 0) await new Promise(setImmediate);
    }
    // Twelve megabytes were said, eight are held at most.
    expect(dropped).toBeGreaterThan(2_000);
    await log.close();
  });
});
