import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { answerScrapes, ClusterMetrics, type Channel } from './cluster-metrics.ts';
import { Metrics } from './metrics.ts';

type Worker = {
  readonly metrics: Metrics;
  /** The worker as its primary sees it. */
  readonly channel: Channel;
  readonly scrapes: ReturnType<typeof answerScrapes>;
  isDeaf: boolean;
};

/** A worker whose messages pass through JSON, as those of a process do. */
function startWorker(primary: ClusterMetrics): Worker {
  const metrics = new Metrics({ routes: ['/v1/check'], process: false });
  const seenByPrimary = new EventEmitter();
  const seenByWorker = new EventEmitter();
  const send = (to: EventEmitter) => (message: unknown, callback: (error: null) => void) => {
    if (!worker.isDeaf) setImmediate(() => to.emit('message', JSON.parse(JSON.stringify(message))));
    callback(null);
  };
  const inPrimary = Object.assign(seenByPrimary, { send: send(seenByWorker) });
  const inWorker = Object.assign(seenByWorker, { send: send(seenByPrimary) });
  const worker: Worker = {
    metrics,
    channel: inPrimary,
    scrapes: answerScrapes(metrics, inWorker),
    isDeaf: false,
  };
  primary.add(inPrimary);
  return worker;
}

const check = (worker: Worker, times: number) => {
  for (let i = 0; i < times; i++) worker.metrics.checked('/v1/check', 'allowed', 'quota', 10);
};

const allowedIn = (text: string) =>
  Number(/^rl_allowed_total\{.*\} (\d+)$/m.exec(text)?.[1] ?? 'NaN');

describe('metrics over workers', () => {
  it('are the sum, whichever worker is asked', async () => {
    const primary = new ClusterMetrics();
    const [one, two] = [startWorker(primary), startWorker(primary)];
    check(one, 2);
    check(two, 3);
    expect(allowedIn(await primary.collect())).toBe(5);
    expect(allowedIn(await one.scrapes.text())).toBe(5);
    expect(allowedIn(await two.scrapes.text())).toBe(5);
  });

  it('never go down when a worker is gone or does not answer', async () => {
    const primary = new ClusterMetrics();
    const [one, two] = [startWorker(primary), startWorker(primary)];
    check(one, 2);
    check(two, 3);
    two.metrics.checkStarted();
    expect(await primary.collect()).toContain('rl_checks_in_flight 1');
    two.isDeaf = true;
    check(one, 1);
    expect(allowedIn(await primary.collect(500))).toBe(6);
    primary.remove(two.channel);
    const text = await primary.collect();
    expect(allowedIn(text)).toBe(6);
    expect(text).toContain('rl_checks_in_flight 0');
    primary.remove(one.channel);
    const successor = startWorker(primary);
    check(successor, 4);
    expect(allowedIn(await primary.collect())).toBe(10);
  });

  it('keep what a worker counted up to its end when it takes its leave', async () => {
    const primary = new ClusterMetrics();
    const worker = startWorker(primary);
    check(worker, 7);
    await worker.scrapes.close();
    await new Promise(setImmediate);
    primary.remove(worker.channel);
    expect(allowedIn(await primary.collect())).toBe(7);
  });

  it('do not wait for a worker that can be sent nothing', async () => {
    const primary = new ClusterMetrics();
    check(startWorker(primary), 1);
    const dead = Object.assign(new EventEmitter(), {
      send: () => {
        throw new Error('channel closed');
      },
    });
    primary.add(dead);
    primary.add(new EventEmitter());
    expect(allowedIn(await primary.collect(60_000))).toBe(1);
  });

  it('are the worker’s own when there is no primary', async () => {
    const metrics = new Metrics({ process: false });
    metrics.eventsDropped(9);
    const scrapes = answerScrapes(metrics, new EventEmitter());
    expect(await scrapes.text()).toContain('rl_events_dropped_total 9');
  });

  it('are not disturbed by other messages', async () => {
    const primary = new ClusterMetrics();
    const worker = startWorker(primary);
    check(worker, 1);
    for (const message of [null, 'hi', 5, { cmd: 'NODE_x' }, { sluice: 'sum' }]) {
      (worker.channel as EventEmitter).emit('message', message);
    }
    expect(allowedIn(await primary.collect())).toBe(1);
  });
});
