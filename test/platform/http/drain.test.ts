import { EventEmitter, once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDrain, drainOnSignal } from '../../../platform/src/doors/http/drain.ts';
import { RawConnection, startServer, type Rig } from './rig.ts';

type Held = Rig & { readonly arrived: () => number; readonly release: () => void };

/** A server on which `/held` is answered when the test says so. */
async function startHolding(): Promise<Held> {
  let arrived = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const rig = await startServer({}, (app) => {
    app.get('/held', async () => {
      arrived += 1;
      await released;
      return { held: true };
    });
  });
  return { ...rig, arrived: () => arrived, release };
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('draining', () => {
  it('says "not ready" at once, and serves on for the grace', async () => {
    const { app, url } = await startServer();
    const drain = createDrain(app, { graceMs: 60_000 });
    const drained = drain.start();
    const ready = await fetch(`${url}/v1/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ ready: false, reason: 'draining' });
    const health = await fetch(`${url}/v1/health`);
    expect(health.status).toBe(200);
    expect(health.headers.get('connection')).toBe('close');
    drain.hurry();
    await drained;
  });

  it('answers what is in flight, on new and on kept connections', async () => {
    const { app, port, arrived, release } = await startHolding();
    const kept = await RawConnection.open(port);
    kept.write(request('/v1/health'));
    await kept.untilAnswers(1);
    const connections = [
      kept,
      ...(await Promise.all([1, 2, 3].map(() => RawConnection.open(port)))),
    ];
    for (const connection of connections) connection.write(request('/held'));
    await expect.poll(arrived).toBe(4);

    const drained = createDrain(app, { graceMs: 0 }).start();
    await expect.poll(() => app.server.listening).toBe(false);
    release();
    await drained;
    await Promise.all(connections.map(({ ended }) => ended));
    expect(connections.map(({ statuses }) => statuses)).toEqual([[200, 200], [200], [200], [200]]);
    for (const { received } of connections) expect(received).toContain('{"held":true}');
  });

  it('closes idle connections, so that nobody is waited for', async () => {
    const { app, port } = await startServer();
    const idle = await Promise.all([1, 2, 3].map(() => RawConnection.open(port)));
    for (const connection of idle) connection.write(request('/v1/health'));
    await Promise.all(idle.map((connection) => connection.untilAnswers(1)));
    await createDrain(app, { graceMs: 0 }).start();
    await Promise.all(idle.map(({ ended }) => ended));
  });

  it('drops no request of callers who never stop, once their balancer minds "not ready"', async () => {
    const { app, url } = await startServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    onTestFinished(() => agent.destroy());
    const drain = createDrain(app, { graceMs: 500 });
    const seen = { answered: 0, isOut: false };
    const balancer = (async () => {
      while ((await fetch(`${url}/v1/ready`)).status === 200);
      seen.isOut = true;
    })();
    const callers = Array.from({ length: 8 }, async () => {
      while (!seen.isOut) {
        const answer = await call(`${url}/v1/health`, agent);
        expect(answer.statusCode).toBe(200);
        seen.answered += 1;
      }
    });
    await expect.poll(() => seen.answered).toBeGreaterThan(50);
    const drained = drain.start();
    await Promise.all([balancer, ...callers]);
    expect(app.server.listening).toBe(true);
    await drained;
  });

  it('ends what takes longer than it may', async () => {
    const { app, port, arrived } = await startHolding();
    const stuck = await RawConnection.open(port);
    stuck.write(request('/held'));
    const slow = await RawConnection.open(port);
    slow.write('GET /v1/health HTTP/1.1\r\nHos');
    await expect.poll(arrived).toBe(1);
    await createDrain(app, { graceMs: 0, finishMs: 100 }).start();
    await Promise.all([stuck.ended, slow.ended]);
    expect(stuck.statuses).toEqual([]);
  });

  it('is done once, for all who ask', async () => {
    const { app } = await startServer();
    const drain = createDrain(app, { graceMs: 0 });
    expect(drain.isDraining).toBe(false);
    expect(drain.start()).toBe(drain.start());
    expect(drain.isDraining).toBe(true);
    await drain.start();
  });
});

describe('a signal', () => {
  it('drains, and then nobody listens for signals any more', async () => {
    const { app } = await startServer();
    const source = new EventEmitter();
    const outcome = drainOnSignal(createDrain(app, { graceMs: 0 }), { source });
    source.emit('SIGTERM');
    expect(await outcome).toBe('drained');
    expect(source.eventNames()).toEqual([]);
  });

  it('that comes again ends it now', async () => {
    const { app, port, arrived } = await startHolding();
    const source = new EventEmitter();
    const outcome = drainOnSignal(createDrain(app, { graceMs: 60_000 }), { source });
    const stuck = await RawConnection.open(port);
    stuck.write(request('/held'));
    await expect.poll(arrived).toBe(1);
    source.emit('SIGTERM');
    source.emit('SIGINT');
    expect(await outcome).toBe('hurried');
    await stuck.ended;
  });
});

async function call(url: string, agent: Agent): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
}
