import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig, redacted, settingDocs } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: unknown): string {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const demoKey = `slk_${'a'.repeat(21)}_${'b'.repeat(49)}`;

describe('settings', () => {
  it('need none to be set', () => {
    expect(readConfig({})).toEqual({
      httpAddr: { host: '127.0.0.1', port: 8080 },
      adminAddr: null,
      grpcAddr: { host: '127.0.0.1', port: 8081 },
      grpcTlsCert: null,
      grpcTlsKey: null,
      grpcTlsClientCa: null,
      grpcTlsClientSan: null,
      grpcReflection: true,
      grpcConnectionAgeSeconds: 86_400,
      basePath: '',
      dataDir: './data',
      databaseUrl: null,
      databasePool: 10,
      redisUrl: null,
      redisUnsafe: false,
      storeDeadlineMs: 50,
      unconfirmedKeysSeconds: 30,
      unconfirmedKeys: 'accept',
      adminToken: null,
      demo: true,
      demoKey: null,
      rlsConfigDir: null,
      rlsXdsUrl: null,
      rlsXdsNode: 'default',
      rlsXdsTls: false,
      rlsXdsTlsCa: null,
      rlsXdsTlsCert: null,
      rlsXdsTlsKey: null,
      rlsXdsTlsName: null,
      rlsTenants: false,
      rlsJson: true,
      rlsDeadlineMs: 15,
      rlsOnStoreFailure: 'open',
      rlsCharging: 'atomic',
      rlsCalendar: 'honest',
      rlsShadow: false,
      rlsQuota: false,
      rlsMergeDomains: false,
      rlsLocalCacheBytes: 0,
      rlsHeaders: null,
      rlsMetadata: false,
      rlsTags: null,
      requestIdKeys: false,
      headerProfile: 'default',
      corsOrigins: [],
      trustedProxies: [],
      drainSeconds: 5,
      connectionsMax: 20_000,
      shedDelayMs: 50,
      webhookPrivate: false,
      workers: 1,
      logLevel: 'info',
      checkLog: 'all',
      evidence: true,
      receiptSample: 0.01,
      subjectDays: 30,
      otlpEndpoint: null,
      otlpHeaders: null,
      serviceName: 'sluice',
      traceRatio: 1,
    });
  });

  it('are what the environment says', () => {
    const config = readConfig({
      SLUICE_HTTP_ADDR: '[::1]:0',
      SLUICE_GRPC_ADDR: ':9000',
      SLUICE_BASE_PATH: '/limits/eu/',
      SLUICE_CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      SLUICE_TRUSTED_PROXIES: '10.0.0.0/8,2001:db8::/32,192.0.2.1',
      SLUICE_DEMO: 'off',
      SLUICE_DEMO_KEY: demoKey,
      SLUICE_DRAIN_SECONDS: '0.5',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      PATH: '/bin',
    });
    expect(config).toMatchObject({
      httpAddr: { host: '::1', port: 0 },
      grpcAddr: { host: '0.0.0.0', port: 9000 },
      basePath: '/limits/eu',
      corsOrigins: ['https://a.example', 'http://localhost:5173'],
      trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'],
      demo: false,
      demoKey,
      drainSeconds: 0.5,
      traceRatio: 0.25,
    });
  });

  it('do not change once read', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.httpAddr)).toBe(true);
    expect(Object.isFrozen(config.corsOrigins)).toBe(true);
  });

  it('that are empty are as if not set', () => {
    expect(readConfig({ SLUICE_REDIS_URL: '', SLUICE_HTTP_ADDR: '' })).toEqual(readConfig({}));
  });

  it.each([
    ['SLUICE_HTTP_ADDR', '8080', 'must be host:port'],
    ['SLUICE_HTTP_ADDR', '127.0.0.1:65536', 'must be host:port'],
    ['SLUICE_GRPC_ADDR', '::1:80', 'must be host:port'],
    ['SLUICE_BASE_PATH', 'limits', 'must be a path such as /limits'],
    ['SLUICE_BASE_PATH', '/a b', 'must be a path such as /limits'],
    ['SLUICE_BASE_PATH', '/a?b', 'must be a path such as /limits'],
    ['SLUICE_REDIS_URL', 'localhost:6379', 'begins with redis://'],
    ['SLUICE_DATABASE_URL', 'mysql://localhost/x', 'begins with postgres://'],
    ['SLUICE_DATABASE_POOL', '0', 'must be a whole number from 1 to 500, got "0"'],
    ['SLUICE_STORE_DEADLINE_MS', '1e3', 'must be a whole number'],
    ['SLUICE_ADMIN_ADDR', '8082', 'must be host:port'],
    ['SLUICE_CONNECTIONS_MAX', '0', 'must be a whole number from 1 to 1000000'],
    ['SLUICE_SHED_DELAY_MS', '0', 'must be a whole number from 1 to 60000'],
    ['SLUICE_DRAIN_SECONDS', '-1', 'must be a number from 0 to 600'],
    ['SLUICE_HEADER_PROFILE', 'github', 'must be one of default, ietf, trio, none, got "github"'],
    ['SLUICE_LOG_LEVEL', 'loud', 'must be one of trace'],
    ['SLUICE_DEMO', 'maybe', 'must be on or off, got "maybe"'],
    ['SLUICE_CORS_ORIGINS', '*', 'must be origins as browsers send them'],
    ['SLUICE_CORS_ORIGINS', 'https://a.example/', 'must be origins as browsers send them'],
    ['SLUICE_TRUSTED_PROXIES', '10.0.0.0/33', 'must be networks'],
    ['SLUICE_TRUSTED_PROXIES', 'proxy.local', 'must be networks'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'must be a number from 0 to 1'],
  ])('%s=%s is refused by name', (name, value, problem) => {
    const [first = '', ...others] = problemsOf({ [name]: value });
    expect(first.startsWith(name)).toBe(true);
    expect(first).toContain(problem);
    expect(others).toEqual([]);
  });

  it('that are wrong are told all at once', () => {
    expect(problemsOf({ SLUICE_DEMO: 'x', SLUICE_WORKERS: 'y' })).toHaveLength(2);
  });

  it('can leave gRPC out, and give it no port that is taken', () => {
    expect(readConfig({ SLUICE_GRPC_ADDR: 'off' }).grpcAddr).toBeNull();
    const taken =
      'SLUICE_GRPC_ADDR must have another port than SLUICE_HTTP_ADDR and SLUICE_ADMIN_ADDR';
    expect(problemsOf({ SLUICE_HTTP_ADDR: ':8081' })).toEqual([taken]);
    expect(problemsOf({ SLUICE_ADMIN_ADDR: ':8081' })).toEqual([taken]);
    expect(problemsOf({ SLUICE_HTTP_ADDR: ':8081', SLUICE_GRPC_ADDR: 'off' })).toEqual([]);
    expect(problemsOf({ SLUICE_HTTP_ADDR: ':0', SLUICE_GRPC_ADDR: ':0' })).toEqual([]);
  });

  it('take no half of TLS for none of it', () => {
    const cert = { SLUICE_GRPC_TLS_CERT: 'a.pem' };
    const both = { ...cert, SLUICE_GRPC_TLS_KEY: 'a.key' };
    const together = 'SLUICE_GRPC_TLS_CERT and SLUICE_GRPC_TLS_KEY must be set together';
    expect(problemsOf(both)).toEqual([]);
    expect(problemsOf(cert)).toEqual([together]);
    expect(problemsOf({ SLUICE_GRPC_TLS_KEY: 'a.key' })).toEqual([together]);
    expect(problemsOf({ SLUICE_GRPC_TLS_CLIENT_CA: 'ca.pem' })).toEqual([
      'SLUICE_GRPC_TLS_CLIENT_CA needs SLUICE_GRPC_TLS_CERT and SLUICE_GRPC_TLS_KEY',
    ]);
    expect(problemsOf({ ...both, SLUICE_GRPC_TLS_CLIENT_SAN: 'DNS:envoy' })).toEqual([
      'SLUICE_GRPC_TLS_CLIENT_SAN needs SLUICE_GRPC_TLS_CLIENT_CA',
    ]);
  });

  it('name one place to take rules from, and no half of its TLS', () => {
    const url = { SLUICE_RLS_XDS_URL: 'control.example:18000' };
    expect(problemsOf(url)).toEqual([]);
    expect(problemsOf({ SLUICE_RLS_XDS_URL: '[::1]:18000' })).toEqual([]);
    expect(problemsOf({ ...url, SLUICE_RLS_CONFIG_DIR: 'rls' })).toEqual([
      'SLUICE_RLS_CONFIG_DIR and SLUICE_RLS_XDS_URL are two places to take rules from: set one of them',
    ]);
    for (const wrong of [':18000', 'control.example', 'grpc://a:1', 'a:0', 'a:65536']) {
      expect(problemsOf({ SLUICE_RLS_XDS_URL: wrong }).join()).toContain('must be host:port');
    }
    const secured = { ...url, SLUICE_RLS_XDS_TLS: 'on' };
    const pair = { SLUICE_RLS_XDS_TLS_CERT: 'a.pem', SLUICE_RLS_XDS_TLS_KEY: 'a.key' };
    expect(problemsOf({ ...secured, ...pair, SLUICE_RLS_XDS_TLS_CA: 'ca.pem' })).toEqual([]);
    expect(problemsOf({ SLUICE_RLS_XDS_TLS: 'on' })).toEqual([
      'SLUICE_RLS_XDS_TLS needs SLUICE_RLS_XDS_URL',
    ]);
    expect(problemsOf({ ...secured, SLUICE_RLS_XDS_TLS_KEY: 'a.key' })).toEqual([
      'SLUICE_RLS_XDS_TLS_CERT and SLUICE_RLS_XDS_TLS_KEY must be set together',
    ]);
    for (const alone of [
      pair,
      { SLUICE_RLS_XDS_TLS_CA: 'ca.pem' },
      { SLUICE_RLS_XDS_TLS_NAME: 'a' },
    ]) {
      expect(problemsOf({ ...url, ...alone })).toEqual([
        'SLUICE_RLS_XDS_TLS_CA, SLUICE_RLS_XDS_TLS_CERT and SLUICE_RLS_XDS_TLS_NAME need SLUICE_RLS_XDS_TLS=on',
      ]);
    }
  });

  it('A6 take labels for metrics that are names, once each, and that nobody else uses', () => {
    const tags = (text: string) => readConfig({ SLUICE_RLS_TAGS: text }).rlsTags;
    expect(tags('region=eu, cell=b/1.x:y')).toEqual({ region: 'eu', cell: 'b/1.x:y' });
    const problem = (text: string) => problemsOf({ SLUICE_RLS_TAGS: text }).join();
    expect(problem('region')).toContain('must be labels such as region=eu,cell=b');
    for (const wrong of ['1a=b', '__name__=x', 'a="b"', 'a=', `a=${'b'.repeat(65)}`, 'a=b,']) {
      expect(problem(wrong)).toContain('must be labels');
    }
    expect(problem('domain=shop')).toContain('has domain, which is taken');
    expect(problem('a=b,a=c')).toContain('has a twice');
    const many = Array.from({ length: 11 }, (_, at) => `a${at}=b`).join();
    expect(problem(many)).toContain('at most 10 labels');
  });

  it('have an address of their own for operators, and not the same', () => {
    expect(readConfig({ SLUICE_ADMIN_ADDR: ':9' }).adminAddr).toEqual({ host: '0.0.0.0', port: 9 });
    expect(readConfig({ SLUICE_HTTP_ADDR: ':0', SLUICE_ADMIN_ADDR: ':0' }).adminAddr?.port).toBe(0);
    expect(problemsOf({ SLUICE_ADMIN_ADDR: '10.0.0.1:8080' })).toEqual([
      'SLUICE_ADMIN_ADDR must have another port than SLUICE_HTTP_ADDR',
    ]);
  });

  it('say what several workers need, all of it at once', () => {
    const redis = { SLUICE_REDIS_URL: 'redis://localhost' };
    const database = { SLUICE_DATABASE_URL: 'postgres://localhost/sluice' };
    const missing = (more: object) => problemsOf({ SLUICE_WORKERS: '4', ...more }).join();
    expect(missing({})).toMatch(/SLUICE_REDIS_URL.*SLUICE_DATABASE_URL/);
    expect(missing(redis)).toMatch(/^SLUICE_WORKERS .*SLUICE_DATABASE_URL/);
    expect(missing(database)).toMatch(/^SLUICE_WORKERS .*SLUICE_REDIS_URL/);
    expect(readConfig({ SLUICE_WORKERS: '4', ...redis, ...database }).workers).toBe(4);
  });

  it.each([
    ['SLUICE_REDIS_URI', 'SLUICE_REDIS_URI is not known; did you mean SLUICE_REDIS_URL?'],
    ['SLUICE_HTTP_ADRR', 'SLUICE_HTTP_ADRR is not known; did you mean SLUICE_HTTP_ADDR?'],
    ['SLUICE_X', 'SLUICE_X is not known'],
  ])('that nobody knows are an error: %s', (name, problem) => {
    expect(problemsOf({ [name]: '1' })).toEqual([problem]);
  });
});

describe('a file', () => {
  it('gives what the environment does not', () => {
    const path = file({
      http_addr: ':1',
      demo: false,
      database_pool: 3,
      cors_origins: ['http://a'],
    });
    const config = readConfig({ SLUICE_CONFIG: path, SLUICE_HTTP_ADDR: ':2' });
    expect(config).toMatchObject({ demo: false, databasePool: 3, corsOrigins: ['http://a'] });
    expect(config.httpAddr.port).toBe(2);
  });

  it('is held to the same rules', () => {
    const path = file({ database_pool: 0, htp_addr: ':1', demo: {} });
    expect(problemsOf({ SLUICE_CONFIG: path })).toEqual([
      `${path}: "htp_addr" is not known; did you mean http_addr?`,
      `${path}: "demo" must be text, a number, true, false or a list of texts`,
      'SLUICE_DATABASE_POOL must be a whole number from 1 to 500, got "0"',
    ]);
  });

  it.each([
    ['is not there', () => join(folder, 'none.json'), 'cannot be read'],
    ['is not JSON', () => file('admin_token: hunter2'), 'is not JSON'],
    ['is no object', () => file([]), 'must hold one JSON object'],
  ])('that %s is refused, and not quoted', (_, path, problem) => {
    const [first = ''] = problemsOf({ SLUICE_CONFIG: path() });
    expect(first).toContain('SLUICE_CONFIG');
    expect(first).toContain(problem);
    expect(first).not.toContain('hunter2');
  });
});

describe('secrets', () => {
  const env = {
    SLUICE_ADMIN_TOKEN: 'hunter2-token',
    SLUICE_DEMO_KEY: demoKey,
    SLUICE_REDIS_URL: 'rediss://user:hunter2@redis.example:6380/1',
    SLUICE_DATABASE_URL: 'postgres://sluice:hunter2@db.example/sluice?sslpassword=hunter2',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
  };

  it('are never shown', () => {
    const shown = redacted(readConfig(env));
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(shown).toMatchObject({
      SLUICE_ADMIN_TOKEN: '(set)',
      SLUICE_DEMO_KEY: '(set)',
      SLUICE_REDIS_URL: 'rediss://user:***@redis.example:6380/1',
      SLUICE_HTTP_ADDR: { host: '127.0.0.1', port: 8080 },
      SLUICE_RLS_CONFIG_DIR: null,
    });
  });

  it('of every server of a cluster are hidden', () => {
    const urls = 'redis://:hunter2@a.example:1, redis://user:hunter2@b.example:2';
    const shown = redacted(readConfig({ SLUICE_REDIS_URL: urls }));
    expect(shown['SLUICE_REDIS_URL']).toBe('redis://:***@a.example:1,redis://user:***@b.example:2');
  });

  it('are not quoted when they are wrong', () => {
    const wrong = Object.keys(env).map((name) => problemsOf({ [name]: 'hunter2 \n' }));
    expect(wrong.flat()).toHaveLength(5);
    expect(JSON.stringify(wrong)).not.toContain('hunter2');
  });
});

describe('docs/configuration.md', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, name, fallback, doc]) => ({ name, fallback, doc }),
  );

  it('says every setting, its default and what it is for', () => {
    const told = settingDocs.map(({ name, fallback, doc }) => ({
      name,
      fallback: fallback ? `\`${fallback}\`` : '',
      doc,
    }));
    expect(rows).toEqual(told);
  });
});
