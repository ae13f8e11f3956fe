import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen, type ListenState } from './listen.ts';

/** A stream of the service, spoken by the test. */
type Stream = {
  readonly lastEventId: string;
  readonly isLeft: () => boolean;
  say(text: string): void;
  end(): void;
};

const streams: Stream[] = [];
let answers: (() => Response)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1/' });
  vi.stubGlobal('fetch', async (_url: URL, { headers, signal }: RequestInit) => {
    const answer = answers.shift();
    if (answer) return answer();
    const { writable, readable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal?.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => {}));
    streams.push({
      lastEventId: new Headers(headers).get('last-event-id') ?? '',
      isLeft: () => signal?.aborted === true,
      say: (text) => void writer.write(new TextEncoder().encode(text)),
      end: () => void writer.close(),
    });
    return new Response(readable);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  streams.splice(0);
  answers = [];
});

const event = (id: number) => `id: ${id}\nevent: second\ndata: {"at":${id}}\n\n`;
const problem = (status: number) => () =>
  new Response(JSON.stringify({ code: 'x', detail: 'x' }), { status });
const last = () => streams.at(-1) as Stream;

function start() {
  const controller = new AbortController();
  const heard: string[] = [];
  const states: ListenState['kind'][] = [];
  const over = listen({
    path: 'v1/admin/live',
    after: '7',
    onEvent: ({ id }) => heard.push(id),
    onState: ({ kind }) => states.push(kind),
    signal: controller.signal,
  });
  return { controller, heard, states, over };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a listener', () => {
  it('hears what is said, and comes again at once where it left off when the stream ends', async () => {
    const { heard, controller, over } = start();
    await pass(0);
    expect(last().lastEventId).toBe('7');
    last().say(event(8) + event(9));
    await pass(0);
    last().end();
    await pass(1);
    expect(streams).toHaveLength(2);
    expect(last().lastEventId).toBe('9');
    last().say(event(10));
    await pass(0);
    expect(heard).toEqual(['8', '9', '10']);
    controller.abort();
    await pass(0);
    await over;
    expect(last().isLeft()).toBe(true);
  });

  it('takes silence for a broken connection', async () => {
    const { controller, states } = start();
    await pass(0);
    last().say(event(8));
    await pass(4900);
    expect(last().isLeft()).toBe(false);
    await pass(200);
    expect(streams[0]?.isLeft()).toBe(true);
    expect(states.at(-1)).toBe('waiting');
    await pass(1000);
    expect(streams).toHaveLength(2);
    expect(last().lastEventId).toBe('8');
    controller.abort();
  });

  it('waits longer each time it fails, and is quick again after it was heard', async () => {
    answers = [problem(503), problem(503), problem(429)];
    const { controller, states } = start();
    await pass(0);
    expect(states.at(-1)).toBe('waiting');
    await pass(1000 + 2000 + 4000);
    expect(answers).toEqual([]);
    expect(states.at(-1)).toBe('live');
    last().end();
    await pass(1);
    expect(streams).toHaveLength(2);
    controller.abort();
  });

  it.each([403, 404])('gives up where coming again would not help (%i)', async (status) => {
    answers = [problem(status)];
    const { states, over } = start();
    await pass(0);
    await over;
    expect(states).toEqual(['connecting', 'off']);
  });
});
