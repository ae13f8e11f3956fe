import { setImmediate as turnEnds } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LiveSecond } from '../../evidence/index.ts';
import { EventStream, waitingBytesMax } from './event-stream.ts';

function secondAt(at: number, decisions = 0): LiveSecond {
  return { at, decisions } as LiveSecond;
}

async function readAll(stream: EventStream): Promise<string> {
  stream.end();
  const parts: string[] = [];
  for await (const part of stream) parts.push(String(part));
  return parts.join('');
}

describe('a stream of events', () => {
  it('says each second with its id, and when to come again', async () => {
    const stream = new EventStream();
    stream.tell(secondAt(7));
    expect(await readAll(stream)).toBe(
      'retry: 2000\n\nid: 7\nevent: second\ndata: {"at":7,"decisions":0}\n\n',
    );
  });

  it('says what was missed before what came meanwhile', async () => {
    const stream = new EventStream();
    const caughtUp = stream.catchUp(async () => [secondAt(1), secondAt(2)]);
    stream.tell(secondAt(3));
    await caughtUp;
    expect((await readAll(stream)).match(/^id: \d+/gm)).toEqual(['id: 1', 'id: 2', 'id: 3']);
  });

  it('goes on without what was missed where that is not to be had', async () => {
    const stream = new EventStream();
    await stream.catchUp(() => Promise.reject(new Error('away')));
    stream.tell(secondAt(3));
    expect(await readAll(stream)).toContain('id: 3');
  });

  it('never takes its id back, so that nobody is told twice what they heard', async () => {
    const stream = new EventStream();
    for (const second of [secondAt(5), secondAt(6), secondAt(5, 9)]) stream.tell(second);
    const text = await readAll(stream);
    expect(text.match(/^id: \d+/gm)).toEqual(['id: 5', 'id: 6', 'id: 6']);
    expect(text).toContain('{"at":5,"decisions":9}');
  });

  it('ends by itself, for who listens may no longer be allowed to', async () => {
    const stream = new EventStream(5);
    stream.tell(secondAt(7));
    const parts: string[] = [];
    for await (const part of stream) parts.push(String(part));
    expect(parts.join('')).toContain('id: 7');
    stream.tell(secondAt(8));
    stream.end();
    expect(stream.destroyed).toBe(true);
  });

  it('lets go of who does not read, before much is waiting', async () => {
    const stream = new EventStream();
    const size = JSON.stringify(secondAt(1_000_000_000)).length;
    let told = 0;
    while (!stream.destroyed && told * size < 2 * waitingBytesMax) {
      stream.tell(secondAt(1_000_000_000 + told));
      told += 1;
    }
    await turnEnds();
    expect(stream.destroyed).toBe(true);
    expect(told * size).toBeLessThan(waitingBytesMax);
  });
});
