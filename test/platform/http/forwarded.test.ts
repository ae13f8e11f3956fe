import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../../platform/src/doors/http/client-address.ts';
import { sendRaw, startServer } from './rig.ts';

async function startAsking(trustedProxies: readonly string[]) {
  return startServer({ trustedProxies }, (app) => {
    app.get('/who', (request) => ({ who: clientAddress(request) }));
  });
}

async function ask(port: number, ...headers: readonly string[]): Promise<string> {
  const lines = ['GET /who HTTP/1.1', 'Host: a', 'Connection: close', ...headers, '', ''];
  const { received } = await sendRaw(port, lines.join('\r\n'));
  return /"who":"([^"]*)"/.exec(received)?.[1] ?? received;
}

const forgeries = [
  'X-Forwarded-For: 198.51.100.1',
  'X-Forwarded-For: 198.51.100.1, 198.51.100.2',
  'Forwarded: for=198.51.100.1',
  'Forwarded: for="[2001:db8::1]:80"',
  'X-Real-IP: 198.51.100.1',
  'X-Client-IP: 198.51.100.1',
  'True-Client-IP: 198.51.100.1',
  'CF-Connecting-IP: 198.51.100.1',
  'X_Forwarded_For: 198.51.100.1',
  'X-Forwarded: 198.51.100.1',
  'Via: 1.1 198.51.100.1',
  `X-Forwarded-For: ${'198.51.100.1, '.repeat(500)}198.51.100.1`,
];

describe('a forged header', () => {
  it.each(forgeries)('of a stranger changes nothing: %.40s', async (header) => {
    const { port } = await startAsking(['10.0.0.0/8']);
    expect(await ask(port, header)).toBe('127.0.0.1');
  });

  it.each(forgeries)('changes nothing when nobody is trusted: %.40s', async (header) => {
    const { port } = await startAsking([]);
    expect(await ask(port, header)).toBe('127.0.0.1');
  });

  it.each(forgeries)('that a trusted proxy passes on changes nothing: %.40s', async (header) => {
    const { port } = await startAsking(['127.0.0.0/8']);
    // As nginx does: what came is kept, and the address it came from is added to its own header.
    const added = header.startsWith('X-Forwarded-For')
      ? [`${header}, 203.0.113.7`]
      : [header, 'X-Forwarded-For: 203.0.113.7'];
    expect(await ask(port, ...added)).toBe('203.0.113.7');
  });

  it('in a line of its own comes before the one that the proxy adds', async () => {
    const { port } = await startAsking(['127.0.0.0/8']);
    const lines = ['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For: 203.0.113.7'];
    expect(await ask(port, ...lines)).toBe('203.0.113.7');
  });
});

it('a chain of trusted proxies is followed to whom it serves', async () => {
  const { port } = await startAsking(['127.0.0.0/8', '10.0.0.0/8']);
  const chain = 'X-Forwarded-For: 198.51.100.1, 203.0.113.7, 10.1.1.1, 10.2.2.2';
  expect(await ask(port, chain)).toBe('203.0.113.7');
});

it('a list of proxies that is none stops the start', async () => {
  await expect(startAsking(['proxy.local'])).rejects.toThrow(/trustedProxies/);
});
