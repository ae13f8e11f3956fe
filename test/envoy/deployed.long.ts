// The sidecar of deploy/envoy in a real Envoy, as it stands but for its ports and its patience; and
// what becomes of requests when nobody answers: `npm run test:envoy`.

import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { Certificates } from './certificates.ts';
import { configOf, header, type ConfigParts } from './sidecar-config.ts';
import { startSidecar, type Ports, type Sidecar } from './sidecar.ts';

const read = (path: string) =>
  readFileSync(new URL(`../../deploy/envoy/${path}`, import.meta.url), 'utf8');

/** The file with other ports, and longer time-outs: these tests are not about a busy machine. */
function deployed(ports: Ports): object {
  const places: Readonly<Record<number, number>> = {
    9901: ports.admin,
    10000: ports.inbound,
    3000: ports.service,
    8081: ports.sluice,
  };
  return parse(read('envoy.yaml'), (key, value) => {
    if (key === 'port_value') return places[value as number];
    if (key === 'address' && value === '0.0.0.0') return '127.0.0.1';
    return value === '0.020s' ? '10s' : value;
  }) as object;
}

async function open(parts: Parameters<typeof startSidecar>[0]): Promise<Sidecar> {
  const sidecar = await startSidecar(parts);
  onTestFinished(() => sidecar.stop());
  return sidecar;
}

it('the sidecar limits users, addresses and paths as its rules say', async () => {
  const rules = { 'shop.yaml': read('ratelimit/shop.yaml') };
  const sidecar = await open({ rules, config: deployed });
  const searches = await Promise.all(
    Array.from({ length: 30 }, () => sidecar.ask('/search', { 'x-user': 'ann' })),
  );
  const passed = searches.filter(({ status }) => status === 200).length;
  // Five a second, and thirty at once take less than three seconds.
  expect(passed).toBeGreaterThanOrEqual(5);
  expect(passed).toBeLessThanOrEqual(15);
  const other = await sidecar.ask('/anything', { 'x-user': 'ann' });
  expect(other.status).toBe(200);
  // All that passed counts for the user and for the address, what was refused for nobody.
  expect(other.headers.get('x-ratelimit-limit')).toContain('600;w=60;name="per-user"');
  expect(other.headers.get('x-ratelimit-limit')).toContain('3000;w=60;name="per-address"');
  expect(other.headers.get('x-ratelimit-remaining')).toBe(String(600 - passed - 1));
  const slashes = await sidecar.ask('//search', {});
  expect(slashes.headers.get('x-ratelimit-limit')).toContain('name="search"');
});

const dayOfOne = `
domain: shop
descriptors: [{ key: user, rate_limit: { name: one, unit: day, requests_per_unit: 1 } }]
`;
const oneRoute = (more: Partial<ConfigParts> = {}) => ({
  rules: { 'shop.yaml': dayOfOne },
  config: (ports: Ports) =>
    configOf(
      { domain: 'shop', routes: [{ path: '/', rules: [{ actions: [header('user')] }] }], ...more },
      ports,
    ),
});

describe('a node that is gone', () => {
  it('lets requests pass by default', async () => {
    const sidecar = await open(oneRoute());
    await sidecar.ask('/', { user: 'ann' });
    expect((await sidecar.ask('/', { user: 'ann' })).status).toBe(429);
    await sidecar.node.stop();
    expect((await sidecar.ask('/', { user: 'ann' })).status).toBe(200);
    expect(await sidecar.counter('cluster.service.ratelimit.failure_mode_allowed')).toBe(1);
  });

  it('refuses them where Envoy is told to', async () => {
    const sidecar = await open(oneRoute({ filter: { failure_mode_deny: true } }));
    expect((await sidecar.ask('/', { user: 'ann' })).status).toBe(200);
    await sidecar.node.stop();
    expect((await sidecar.ask('/', { user: 'ann' })).status).toBe(500);
  });
});

it('A11 Envoy and the node know each other by certificates', async () => {
  const folder = await createTemporaryFolder('certificates');
  onTestFinished(() => removeFolder(folder));
  const certificates = new Certificates(folder);
  const authority = await certificates.authority('authority');
  const node = await certificates.signed('node', authority, 'DNS:sluice.test');
  const envoy = await certificates.signed('envoy', authority, 'URI:spiffe://mesh/envoy');
  const file = (filename: string) => ({ filename });
  const sidecar = await open({
    ...oneRoute({
      transportSocket: {
        name: 'envoy.transport_sockets.tls',
        typed_config: {
          '@type':
            'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
          sni: 'sluice.test',
          common_tls_context: {
            alpn_protocols: ['h2'],
            tls_certificates: [
              { certificate_chain: file(envoy.certPath), private_key: file(envoy.keyPath) },
            ],
            validation_context: {
              trusted_ca: file(authority.certPath),
              match_typed_subject_alt_names: [
                { san_type: 'DNS', matcher: { exact: 'sluice.test' } },
              ],
            },
          },
        },
      },
    }),
    settings: {
      SLUICE_GRPC_TLS_CERT: node.certPath,
      SLUICE_GRPC_TLS_KEY: node.keyPath,
      SLUICE_GRPC_TLS_CLIENT_CA: authority.certPath,
      SLUICE_GRPC_TLS_CLIENT_SAN: 'spiffe://mesh/envoy',
    },
  });
  expect((await sidecar.ask('/', { user: 'ann' })).status).toBe(200);
  expect((await sidecar.ask('/', { user: 'ann' })).status).toBe(429);
});
