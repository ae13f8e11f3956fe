// What a gateway, or somebody who is none, can do on the connection itself.

import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDoor, protocol, type Said } from './rig.ts';

const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const statuses = { ok: '0', invalid: '3', exhausted: '8', unimplemented: '12' } as const;

type Heard = {
  readonly status: number;
  readonly grpcStatus: string | null;
  readonly bytes: Buffer;
  readonly rstCode: number;
};

function requestFrame(user: string): Buffer {
  const service = protocol['envoy.service.ratelimit.v3.RateLimitService'] as never as {
    ShouldRateLimit: { requestSerialize(message: Said): Buffer };
  };
  const entries = [{ key: 'user', value: user }];
  const message = service.ShouldRateLimit.requestSerialize({
    domain: 'shop',
    descriptors: [{ entries }],
  });
  return Buffer.concat([headOf(message.length), message]);
}

function headOf(length: number, flag = 0): Buffer {
  const head = Buffer.alloc(5, flag);
  head.writeUInt32BE(length, 1);
  return head;
}

function openSession(address: string): ClientHttp2Session {
  const session = connect(`http://${address}`);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

function openCall(session: ClientHttp2Session, headers: object = {}): ClientHttp2Stream {
  return session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
}

function hear(stream: ClientHttp2Stream): Promise<Heard> {
  let status = 0;
  let grpcStatus: string | null = null;
  const pieces: Buffer[] = [];
  stream.on('response', (headers) => {
    status = headers[':status'] ?? 0;
    grpcStatus = String(headers['grpc-status'] ?? '') || null;
  });
  stream.on('trailers', (trailers) => (grpcStatus = String(trailers['grpc-status'])));
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', () => {});
  return new Promise((resolve) => {
    stream.on('close', () =>
      resolve({ status, grpcStatus, bytes: Buffer.concat(pieces), rstCode: stream.rstCode ?? 0 }),
    );
  });
}

describe('a message', () => {
  it('may come byte by byte', async () => {
    const { address, service } = await openDoor();
    const stream = openCall(openSession(address));
    const heard = hear(stream);
    for (const byte of requestFrame('ann')) {
      await new Promise((resolve) => stream.write(Buffer.of(byte), resolve));
    }
    stream.end();
    expect(await heard).toMatchObject({ status: 200, grpcStatus: statuses.ok });
    expect(service.asked).toHaveLength(1);
  });

  it('is answered before the caller has said that there are no more, and once', async () => {
    const { address, service } = await openDoor();
    const stream = openCall(openSession(address));
    const heard = hear(stream);
    stream.write(Buffer.concat([requestFrame('ann'), requestFrame('bob')]));
    while (service.asked.length < 1) await sleep(5);
    stream.end();
    expect((await heard).grpcStatus).toBe(statuses.ok);
    expect(service.asked).toHaveLength(1);
  });

  it.each([
    ['that never came', Buffer.alloc(0), statuses.invalid],
    ['whose head is cut', Buffer.alloc(3), statuses.invalid],
    ['that is cut', requestFrame('ann').subarray(0, -1), statuses.invalid],
    ['that is compressed', Buffer.concat([headOf(2, 1), Buffer.alloc(2)]), statuses.unimplemented],
  ])('%s is refused', async (_name, bytes, grpcStatus) => {
    const { address, service } = await openDoor();
    const stream = openCall(openSession(address));
    const heard = hear(stream);
    stream.end(bytes);
    expect(await heard).toMatchObject({ status: 200, grpcStatus });
    expect(service.asked).toEqual([]);
  });

  it('that would be too large is refused by its head alone', async () => {
    const { address } = await openDoor();
    const stream = openCall(openSession(address));
    const heard = hear(stream);
    stream.write(headOf(0xffff_ffff));
    expect(await heard).toMatchObject({
      grpcStatus: statuses.exhausted,
      rstCode: constants.NGHTTP2_NO_ERROR,
    });
  });

  it('of another kind is 415', async () => {
    const { address } = await openDoor();
    const stream = openCall(openSession(address), { 'content-type': 'application/json' });
    const heard = hear(stream);
    stream.end('{}');
    expect(await heard).toMatchObject({ status: 415, grpcStatus: null });
  });
});

describe('a caller', () => {
  it('that leaves before its answer harms nobody', async () => {
    const { address, service, client } = await openDoor();
    let open: (value?: unknown) => void = () => {};
    service.gate = new Promise((resolve) => (open = resolve));
    const session = openSession(address);
    const left = Array.from({ length: 20 }, () => openCall(session));
    for (const stream of left) stream.end(requestFrame('ann'));
    while (service.asked.length < 20) await sleep(5);
    for (const stream of left.slice(0, 10)) stream.close(constants.NGHTTP2_CANCEL);
    await sleep(20);
    session.destroy();
    open();
    expect((await client().askFor('bob')).overallCode).toBe('OK');
  });

  it('that takes back thousands of calls loses its connection, and nobody else theirs', async () => {
    const { address, client } = await openDoor();
    const gateway = client();
    await gateway.askFor('ann');
    const session = openSession(address);
    for (let times = 0; times < 5000 && !session.destroyed; times += 1) {
      const stream = openCall(session);
      const gone = hear(stream);
      stream.close(constants.NGHTTP2_CANCEL);
      await gone;
    }
    expect(session.destroyed).toBe(true);
    expect((await gateway.askFor('bob')).overallCode).toBe('OK');
    const stream = openCall(openSession(address));
    const heard = hear(stream);
    stream.end(requestFrame('eve'));
    expect((await heard).grpcStatus).toBe(statuses.ok);
  });

  it('with more calls under way than are taken is told so, and served once there is room', async () => {
    const { service, client } = await openDoor({ callsMax: 2 });
    let open: (value?: unknown) => void = () => {};
    service.gate = new Promise((resolve) => (open = resolve));
    const gateway = client();
    const taken = [gateway.askFor('ann'), gateway.askFor('bob')];
    while (service.asked.length < 2) await sleep(5);
    await expect(gateway.askFor('eve')).rejects.toMatchObject({ code: 8 });
    open();
    await Promise.all(taken);
    expect((await gateway.askFor('eve')).overallCode).toBe('OK');
  });

  it('that speaks HTTP/1 gets nowhere', async () => {
    const { address, client } = await openDoor();
    await expect(fetch(`http://${address}/`)).rejects.toThrow('fetch failed');
    expect((await client().askFor('ann')).overallCode).toBe('OK');
  });
});

describe('a connection', () => {
  it('that is old is asked to end, after its calls', async () => {
    const { address, service } = await openDoor({ connectionAgeMs: 100 });
    let open: (value?: unknown) => void = () => {};
    service.gate = new Promise((resolve) => (open = resolve));
    const session = openSession(address);
    const told = new Promise((resolve) => session.once('goaway', (code) => resolve(code)));
    const closed = new Promise((resolve) => session.once('close', resolve));
    const stream = openCall(session);
    const heard = hear(stream);
    stream.end(requestFrame('ann'));
    expect(await told).toBe(constants.NGHTTP2_NO_ERROR);
    open();
    expect((await heard).grpcStatus).toBe(statuses.ok);
    await closed;
  });

  it('beyond those that are kept is turned away', async () => {
    const { address } = await openDoor({ connectionsMax: 1 });
    const first = openSession(address);
    await new Promise((resolve) => first.once('connect', resolve));
    await new Promise((resolve) => first.ping(resolve));
    const second = openSession(address);
    await new Promise((resolve) => second.once('close', resolve));
    expect(first.destroyed).toBe(false);
  });
});
