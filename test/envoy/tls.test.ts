// gRPC under TLS: whom it serves, and that certificates may be replaced while it does.

import { credentials } from '@grpc/grpc-js';
import { copyFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { type Certificate, Certificates } from './certificates.ts';
import { openDoor } from './rig.ts';

const unavailable = 14;
const local = 'IP:127.0.0.1';
const envoy = 'spiffe://mesh/envoy';

let folder: string;
let made: Certificates;
let authority: Certificate;
let otherAuthority: Certificate;
let server: Certificate;

beforeAll(async () => {
  folder = await createTemporaryFolder('grpc-tls');
  made = new Certificates(folder);
  [authority, otherAuthority] = await Promise.all([
    made.authority('ours'),
    made.authority('theirs'),
  ]);
  server = await made.signed('server', authority, local);
});

afterAll(() => removeFolder(folder));

/** A client that believes this authority, with a certificate of its own if it has one. */
async function trusting(by: Certificate, own?: Certificate) {
  const { cert: root } = await by.read();
  const mine = await own?.read();
  return credentials.createSsl(root, mine?.key ?? null, mine?.cert ?? null);
}

function tlsOf({ certPath, keyPath }: Certificate, more: object = {}) {
  return { certPath, keyPath, clientCaPath: null, clientSan: null, ...more };
}

describe('TLS', () => {
  it('serves who believes its certificate, and nobody in the clear', async () => {
    const { client } = await openDoor({ tls: tlsOf(server) });
    const answer = await client(await trusting(authority)).askFor('ann');
    expect(answer.overallCode).toBe('OK');
    const doubter = client(await trusting(otherAuthority));
    await expect(doubter.askFor('ann')).rejects.toMatchObject({ code: unavailable });
    await expect(client().askFor('ann')).rejects.toMatchObject({ code: unavailable });
  });

  it('a certificate that is not there, or without its key, is no start', async () => {
    const none = tlsOf({ ...server, certPath: `${folder}/none.pem` });
    await expect(openDoor({ tls: none })).rejects.toThrow(/ENOENT/);
    const wrong = tlsOf({ ...server, keyPath: authority.keyPath });
    await expect(openDoor({ tls: wrong })).rejects.toThrow(/mismatch/i);
  });

  it('A10 takes up a certificate that was replaced on disk, once it fits its key', async () => {
    const files = tlsOf({
      ...server,
      certPath: `${folder}/live.pem`,
      keyPath: `${folder}/live.key`,
    });
    await copyFile(server.certPath, files.certPath);
    await copyFile(server.keyPath, files.keyPath);
    const { client, service, log } = await openDoor({ tls: files });
    const before = client(await trusting(authority));
    await before.askFor('ann');

    const renewed = await made.signed('renewed', otherAuthority, local);
    await writeFile(files.keyPath, (await renewed.read()).key);
    while (!log().includes('"kind":"tls"')) await sleep(50);
    // As long as the two do not fit, what was there stays.
    await client(await trusting(authority), { 'grpc.use_local_subchannel_pool': 1 }).askFor('ann');
    await writeFile(files.certPath, (await renewed.read()).cert);
    const later = await trusting(otherAuthority);
    const served = async () => {
      const fresh = client(later, { 'grpc.use_local_subchannel_pool': 1 });
      return fresh.askFor('bob').then(
        () => true,
        () => false,
      );
    };
    while (!(await served())) await sleep(100);
    const doubter = client(await trusting(authority), { 'grpc.use_local_subchannel_pool': 1 });
    await expect(doubter.askFor('ann')).rejects.toMatchObject({ code: unavailable });
    // Who was connected stays so.
    await before.askFor('ann');
    expect(service.asked.at(-1)?.descriptors[0]?.entries[0]?.value).toBe('ann');
  });
});

describe('mutual TLS', () => {
  it('serves only whom its authority vouches for', async () => {
    const tls = tlsOf(server, { clientCaPath: authority.certPath });
    const { client, service } = await openDoor({ tls });
    const [known, stranger] = await Promise.all([
      made.signed('known', authority, `URI:${envoy}`),
      made.signed('stranger', otherAuthority, `URI:${envoy}`),
    ]);
    await expect(client(await trusting(authority)).askFor('ann')).rejects.toMatchObject({
      code: unavailable,
    });
    await expect(client(await trusting(authority, stranger)).askFor('ann')).rejects.toMatchObject({
      code: unavailable,
    });
    expect(service.asked).toEqual([]);
    const answer = await client(await trusting(authority, known)).askFor('ann');
    expect(answer.overallCode).toBe('OK');
  });

  it('A11 and, where a name is asked for, only who bears it', async () => {
    const tls = tlsOf(server, { clientCaPath: authority.certPath, clientSan: envoy });
    const { client, service } = await openDoor({ tls });
    const [named, other] = await Promise.all([
      made.signed('named', authority, `DNS:envoy,URI:${envoy}`),
      made.signed('other', authority, `URI:${envoy}-not`),
    ]);
    await expect(client(await trusting(authority, other)).askFor('ann')).rejects.toMatchObject({
      code: unavailable,
    });
    expect(service.asked).toEqual([]);
    expect((await client(await trusting(authority, named)).askFor('ann')).overallCode).toBe('OK');
  });
});
