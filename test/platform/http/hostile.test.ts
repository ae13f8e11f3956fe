import { connect } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { RawConnection, sendRaw, startServer, type Rig } from './rig.ts';

const handled: string[] = [];
afterEach(() => void handled.splice(0));

function startCounting(options: Parameters<typeof startServer>[0] = {}): Promise<Rig> {
  return startServer(options, (app) => {
    app.get('/ok', async () => handled.push('GET'));
    app.post('/ok', async () => handled.push('POST'));
  });
}

function post(...lines: readonly string[]): string {
  return ['POST /ok HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...lines].join('\r\n');
}

const next = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a request that could hide another is answered 400 and ends the connection', () => {
  it.each([
    ['length and chunks', post('Content-Length: 2', 'Transfer-Encoding: chunked', '', '0', '', '')],
    ['chunks and length', post('Transfer-Encoding: chunked', 'Content-Length: 2', '', '0', '', '')],
    ['two lengths that differ', post('Content-Length: 2', 'Content-Length: 3', '', '{} ')],
    ['a list of lengths', post('Content-Length: 2, 2', '', '{}')],
    ['a length with a sign', post('Content-Length: +2', '', '{}')],
    ['a negative length', post('Content-Length: -1', '', '{}')],
    ['a length in hexadecimal', post('Content-Length: 0x2', '', '{}')],
    ['a length beyond all bounds', post(`Content-Length: ${'9'.repeat(30)}`, '', '{}')],
    ['a coding we do not know', post('Transfer-Encoding: gzip', '', '{}')],
    [
      'chunks inside a coding',
      post('Transfer-Encoding: chunked, gzip', '', '2', '{}', '0', '', ''),
    ],
    [
      'a coding inside chunks',
      post('Transfer-Encoding: gzip, chunked', '', '2', '{}', '0', '', ''),
    ],
    [
      'a coding that is almost chunked',
      post('Transfer-Encoding: xchunked', '', '2', '{}', '0', '', ''),
    ],
    [
      'two codings',
      post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity', '', '2', '{}', '0', '', ''),
    ],
    [
      'chunks in HTTP/1.0',
      post('Transfer-Encoding: chunked', '', '2', '{}', '0', '', '').replace(
        'HTTP/1.1',
        'HTTP/1.0',
      ),
    ],
    ['a space before the colon', post('Content-Length : 2', '', '{}')],
    ['a folded header', post('X-A: b', ' c', 'Content-Length: 2', '', '{}')],
    ['a folded coding', post('Transfer-Encoding:', ' chunked', '', '2', '{}', '0', '', '')],
    ['a bare CR in a header', post('X-A: b\rContent-Length: 0', 'Content-Length: 2', '', '{}')],
    ['a NUL in a header', post('X-A: a\0b', 'Content-Length: 2', '', '{}')],
    ['bare LFs', post('Content-Length: 2', '', '{}').replaceAll('\r\n', '\n')],
    ['a bare LF after a chunk size', post('Transfer-Encoding: chunked', '', '2\n{}', '0', '', '')],
    ['a bare LF after a chunk', post('Transfer-Encoding: chunked', '', '2', '{}\n0', '', '')],
    [
      'a bare LF in an extension',
      post('Transfer-Encoding: chunked', '', '2;a\nb', '{}', '0', '', ''),
    ],
    ['a space after a chunk size', post('Transfer-Encoding: chunked', '', '2 ', '{}', '0', '', '')],
    ['a chunk size with 0x', post('Transfer-Encoding: chunked', '', '0x2', '{}', '0', '', '')],
    [
      'a chunk size that overflows',
      post('Transfer-Encoding: chunked', '', 'f'.repeat(17), '{}', ''),
    ],
    ['a chunk longer than its size', post('Transfer-Encoding: chunked', '', '2', '{}XX0', '', '')],
    ['a space in the path', 'GET /ok ok HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a method nobody knows', 'GOT /ok HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a version nobody knows', 'GET /ok HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    const { port } = await startCounting();
    const { statuses } = await sendRaw(port, bytes + next);
    expect(statuses).toEqual([400]);
    expect(handled).toEqual([]);
  });
});

it('a request that says no host is answered 400', async () => {
  const { port } = await startCounting();
  expect((await sendRaw(port, 'GET /ok HTTP/1.1\r\n\r\n')).statuses).toEqual([400]);
  expect(handled).toEqual([]);
});

describe('too many or too large headers are answered 431 and end the connection', () => {
  it.each([
    ['one of 20,000 bytes', `X-A: ${'a'.repeat(20_000)}\r\n`],
    ['a path of 20,000 bytes', '', `/${'a'.repeat(20_000)}`],
    ['201', 'a: b\r\n'.repeat(200)],
    ['more than Node keeps', 'a: b\r\n'.repeat(2500)],
  ])('%s', async (_, headers, path = '/ok') => {
    const { port } = await startCounting();
    const { statuses } = await sendRaw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${next}`,
    );
    expect(statuses).toEqual([431]);
    expect(handled).toEqual([]);
  });
});

describe('an answer', () => {
  it('to a broken request is a problem too', async () => {
    const { port } = await startCounting();
    const { received } = await sendRaw(port, 'nonsense\r\n\r\n');
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain('connection: close');
    expect(head).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('to a whole request is its own, though nonsense follows before it is ready', async () => {
    const ready = deferred();
    const { port } = await startServer({}, (app) => {
      app.get('/slow', async () => {
        handled.push('slow');
        await ready.promise;
        return { slow: true };
      });
    });
    const connection = await RawConnection.open(port);
    connection.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\nmore\r\n\r\n');
    await expect.poll(() => handled).toEqual(['slow']);
    connection.write('and more\r\n\r\n');
    ready.resolve(undefined);
    await connection.ended;
    expect(connection.statuses).toEqual([200]);
    expect(connection.received).toContain('{"slow":true}');
  });

  it('never carries what an id smuggled in', async () => {
    const { port } = await startCounting();
    const bytes =
      'GET /ok HTTP/1.1\r\nHost: a\r\nX-Request-Id: abcdefgh%0d%0aSet-Cookie: x=y\r\nConnection: close\r\n\r\n';
    const { received } = await sendRaw(port, bytes);
    expect(received.toLowerCase()).not.toContain('set-cookie');
  });

  it('to several requests at once comes in their order', async () => {
    const { port } = await startServer({}, (app) => {
      app.get('/first', async () => {
        await new Promise((resolve) => void setImmediate(resolve));
        return { answer: 'first' };
      });
      app.get('/second', async () => ({ answer: 'second' }));
    });
    const connection = await sendRaw(
      port,
      'GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(connection.statuses).toEqual([200, 200]);
    expect(connection.received.indexOf('first')).toBeLessThan(
      connection.received.indexOf('second'),
    );
  });
});

describe('who is slow', () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 };

  it.each([
    ['to send anything', ''],
    ['with headers', 'GET /ok HTTP/1.1\r\nHost: a\r\nX-A:'],
    ['with a body', post('Content-Length: 100', '', '{')],
    ['with chunks', post('Transfer-Encoding: chunked', '', '1', '{', '')],
  ])('%s is answered 408 and hung up on', async (_, bytes) => {
    const { port } = await startCounting({ limits });
    const { statuses, received } = await sendRaw(port, bytes);
    expect(statuses).toEqual([408]);
    expect(received).toContain('request_timeout');
    expect(handled).toEqual([]);
  });

  it('between requests is hung up on, without a word', async () => {
    const { port } = await startCounting({ limits: { keepAliveTimeoutMs: 100 } });
    const { statuses } = await sendRaw(port, next);
    expect(statuses).toEqual([200]);
  });
});

it('who takes no answer is hung up on', async () => {
  const { app, port } = await startServer({ limits: { silenceTimeoutMs: 200 } }, (server) => {
    server.get('/large', async () => 'a'.repeat(32 * 2 ** 20));
  });
  let ended = 0;
  app.server.on('connection', (socket) => socket.once('close', () => (ended += 1)));
  const silent = connect({ host: '127.0.0.1', port }).pause();
  onTestFinished(() => void silent.destroy());
  silent.on('error', () => undefined).write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => ended, { timeout: 20_000 }).toBe(1);
});

it('a connection that ends within a body is no failure of ours', async () => {
  const failures: unknown[] = [];
  const { app, port } = await startServer({ onUnexpected: (error) => failures.push(error) });
  let ended = 0;
  app.server.on('connection', (socket) => socket.once('close', () => (ended += 1)));
  const connection = await RawConnection.open(port);
  connection.write(post('Content-Length: 100', '', '{').replace('/ok', '/v1/echo'));
  await expect.poll(() => app.server.listening).toBe(true);
  connection.reset();
  await expect.poll(() => ended).toBe(1);
  expect(failures).toEqual([]);
});

it('connections above the bound are not taken', async () => {
  const { port } = await startCounting({ limits: { connectionsMax: 1 } });
  const first = await RawConnection.open(port);
  first.write(next);
  await first.untilAnswers(1);
  const second = await RawConnection.open(port);
  second.write(next);
  await second.ended;
  expect(second.statuses).toEqual([]);
  first.write(next);
  await first.untilAnswers(2);
  expect(first.statuses).toEqual([200, 200]);
});

function deferred(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
