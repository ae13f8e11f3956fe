// Connections by TLS: verified, and by no other certificate than the one expected.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, openConnection } from '../../../platform/src/store/redis-connection.ts';
import { findFreePort } from '../../servers/free-port.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';

const run = promisify(execFile);

let folder: string;
let server: RedisServer;
let tlsPort: number;

/** A certificate that vouches for itself. */
async function makeCertificate(name: string, subjectAltName: string): Promise<void> {
  const options = {
    '-newkey': 'ec',
    '-pkeyopt': 'ec_paramgen_curve:prime256v1',
    '-keyout': join(folder, `${name}.key`),
    '-out': join(folder, `${name}.pem`),
    '-days': '2',
    '-subj': `/CN=${name}`,
    '-addext': `subjectAltName=${subjectAltName}`,
  };
  await run('openssl', ['req', '-x509', '-nodes', ...Object.entries(options).flat()]);
}

beforeAll(async () => {
  folder = await createTemporaryFolder('tls');
  await Promise.all([
    makeCertificate('redis', 'DNS:redis.internal'),
    makeCertificate('other', 'DNS:redis.internal'),
  ]);
  tlsPort = await findFreePort();
  const settings = {
    '--tls-port': String(tlsPort),
    '--tls-auth-clients': 'no',
    '--tls-cert-file': join(folder, 'redis.pem'),
    '--tls-key-file': join(folder, 'redis.key'),
    '--tls-ca-cert-file': join(folder, 'redis.pem'),
  };
  server = await startRedis({ settings: Object.entries(settings).flat() });
});

afterAll(async () => {
  await server?.stop();
  await removeFolder(folder);
});

/** What is answered, or why nothing is. */
async function ask(url: string): Promise<string> {
  const redis = openConnection(url);
  const errors: string[] = [];
  redis.on('error', (error: Error) => errors.push(error.message));
  try {
    const isReady = await connect(redis, () => {});
    return isReady ? await redis.ping() : errors.join();
  } finally {
    redis.disconnect();
  }
}

test('a server whose authority is trusted and whose name is right is used', async () => {
  const ca = join(folder, 'redis.pem');
  const url = `rediss://127.0.0.1:${tlsPort}?ca=${ca}&servername=redis.internal`;
  expect(await ask(url)).toBe('PONG');
});

test('one that only vouches for itself is not', async () => {
  const url = `rediss://127.0.0.1:${tlsPort}?servername=redis.internal`;
  expect(await ask(url)).toMatch(/self-signed certificate/);
});

test('nor one of another authority', async () => {
  const ca = join(folder, 'other.pem');
  const url = `rediss://127.0.0.1:${tlsPort}?ca=${ca}&servername=redis.internal`;
  expect(await ask(url)).toMatch(/certificate/);
});

test('nor one with another name', async () => {
  const ca = join(folder, 'redis.pem');
  expect(await ask(`rediss://127.0.0.1:${tlsPort}?ca=${ca}`)).toMatch(/altnames/);
});

test('an address with a file that is not there says so', () => {
  expect(() => openConnection('rediss://127.0.0.1?ca=/nowhere/ca.pem')).toThrow(
    /ca=\/nowhere\/ca\.pem.*can't be read/,
  );
});
