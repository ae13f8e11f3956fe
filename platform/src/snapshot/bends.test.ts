import { beforeEach, describe, expect, it } from 'vitest';
import { Compiler } from './compile.ts';
import type { BlockSource, ModeSource, OverrideSource, TenantSource } from './source.ts';
import { bucket, limitsFor, names, nowMs, plan, policy, shared, tenant } from './test-sources.ts';

const window = (name: string, limit: number, more: object = {}) => ({
  name,
  algorithm: 'fixed_window',
  limit,
  window_seconds: 60,
  ...more,
});
const override = (id: string, more: Partial<OverrideSource> = {}): OverrideSource => ({
  id,
  limit_name: 'requests',
  plan_id: null,
  policy_id: null,
  resource: null,
  subject: null,
  attributes: {},
  numbers: { limit: 1 },
  startsAtMs: null,
  expiresAtMs: null,
  createdAtMs: nowMs,
  ...more,
});
const block = (id: string, more: Partial<BlockSource> = {}): BlockSource => ({
  id,
  subject: null,
  ip: null,
  attribute: null,
  key_id: null,
  action: 'block',
  expiresAtMs: null,
  ...more,
});
const mode = (
  scope: ModeSource['scope'],
  word: string,
  more: Partial<ModeSource> = {},
): ModeSource => ({
  scope,
  resource: null,
  policy_id: null,
  limit_name: null,
  mode: word,
  enforceFromMs: null,
  confirm: false,
  ...more,
});

let compiler: Compiler;
beforeEach(() => {
  compiler = new Compiler();
});

const requests = window('requests', 60);
const userShare = {
  name: 'user',
  algorithm: 'fixed_window',
  window_seconds: 60,
  per: ['tenant', 'subject'],
  share_of: { limit: 'requests', ratio: 0.1 },
};

function snapshotOf(source: Partial<TenantSource>, limits: readonly object[] = [requests]) {
  return compiler.compile(tenant(source), shared({ plans: [plan('free', limits)] }), nowMs);
}

describe('an override', () => {
  const sizeFor = (overrides: readonly OverrideSource[], call = {}, resource = 'GET:/a') =>
    limitsFor(snapshotOf({ overrides }).rules, resource, call)[0]?.size;

  it('replaces the numbers of the limit that it names, and says so', () => {
    const [limit] = limitsFor(snapshotOf({ overrides: [override('o')] }).rules, 'GET:/a');
    expect(limit).toMatchObject({ size: 1, override: { id: 'o', baseSize: 60 } });
    expect(sizeFor([override('o', { limit_name: 'other' })])).toBe(60);
  });

  it('keeps the counter: what was used stays used', () => {
    const plain = limitsFor(snapshotOf({}).rules, 'GET:/a')[0];
    const raised = limitsFor(snapshotOf({ overrides: [override('o')] }).rules, 'GET:/a')[0];
    expect(raised?.counterId).toBe(plain?.counterId);
  });

  it('wins by more exact parts, then by being newer', () => {
    const overrides = [
      override('all', { numbers: { limit: 1 } }),
      override('wild', { resource: 'GET:/*', numbers: { limit: 2 } }),
      override('exact', { resource: 'GET:/a', numbers: { limit: 3 } }),
      override('me', { subject: 'me', numbers: { limit: 4 }, createdAtMs: nowMs - 1 }),
      override('me-here', { subject: 'me', resource: 'GET:/a', numbers: { limit: 5 } }),
      override('team', { attributes: { team: 'eng', user: 'me' }, numbers: { limit: 6 } }),
      override('newer', { numbers: { limit: 7 }, createdAtMs: nowMs + 1 }),
    ];
    const of = (subject: string, resource: string, attributes = {}) =>
      sizeFor(overrides, { subject, attributes }, resource);
    expect(of('you', 'POST:/b')).toBe(7);
    expect(of('you', 'GET:/b')).toBe(2);
    expect(of('you', 'GET:/a')).toBe(3);
    expect(of('me', 'POST:/b')).toBe(4);
    expect(of('me', 'GET:/a')).toBe(5);
    expect(of('you', 'POST:/b', { team: 'eng', user: 'me' })).toBe(6);
    expect(of('you', 'POST:/b', { team: 'eng' })).toBe(7);
  });

  it('starts and ends by the clock, and the snapshot ends with it', () => {
    const startsAtMs = nowMs + 1000;
    const expiresAtMs = nowMs + 2000;
    const source = tenant({ overrides: [override('o', { startsAtMs, expiresAtMs })] });
    const common = shared({ plans: [plan('free', [requests])] });
    const at = (ms: number) => compiler.compile(source, common, ms);
    const sizeAt = (ms: number) => limitsFor(at(ms).rules, 'x')[0]?.size;
    expect([nowMs, startsAtMs - 1].map(sizeAt)).toEqual([60, 60]);
    expect([startsAtMs, expiresAtMs - 1].map(sizeAt)).toEqual([1, 1]);
    expect([expiresAtMs, expiresAtMs + 1].map(sizeAt)).toEqual([60, 60]);
    expect(at(nowMs).validUntilUs).toBe(startsAtMs * 1000);
    expect(at(startsAtMs).validUntilUs).toBe(expiresAtMs * 1000);
    expect(at(expiresAtMs).validUntilUs).toBeUndefined();
  });

  it('is followed by a share of the limit, for whom it applies', () => {
    const overrides = [override('o', { subject: 'me', numbers: { limit: 300 } })];
    const { rules } = snapshotOf({ overrides }, [requests, userShare]);
    const shareFor = (subject: string) => limitsFor(rules, 'x', { subject })[1];
    expect(shareFor('you')?.size).toBe(6);
    expect(shareFor('me')).toMatchObject({ size: 30, override: { id: 'o', baseSize: 6 } });
  });

  it('of a share itself replaces the share', () => {
    const overrides = [override('o', { limit_name: 'user', numbers: { limit: 50 } })];
    const { rules } = snapshotOf({ overrides }, [requests, userShare]);
    expect(limitsFor(rules, 'x')[1]?.size).toBe(50);
  });

  it('that no longer fits its limit changes nothing', () => {
    const overrides = [override('o', { numbers: { bucket_capacity: 5 } })];
    expect(sizeFor(overrides)).toBe(60);
  });

  it('of one policy leaves limits of that name elsewhere alone', () => {
    const policies = [policy('GET:/a', { id: 'p', limits: [window('calls', 5)] })];
    const overrides = [override('o', { limit_name: 'calls', policy_id: 'p' })];
    const { rules } = snapshotOf({ overrides, policies }, [window('calls', 60)]);
    expect(limitsFor(rules, 'GET:/a').map(({ size }) => size)).toEqual([60, 1]);
  });

  it('is found among thousands of others', () => {
    const overrides = Array.from({ length: 5000 }, (_, at) =>
      override(`o${at}`, { subject: `user:${at}`, numbers: { limit: at + 1 } }),
    );
    const { rules } = snapshotOf({ overrides });
    expect(limitsFor(rules, 'x', { subject: 'user:4321' })[0]?.size).toBe(4322);
    expect(limitsFor(rules, 'x', { subject: 'nobody' })[0]?.size).toBe(60);
  });
});

describe('a share', () => {
  it.each([
    [60, 6],
    [300, 30],
    [7, 1],
    [30, 3],
  ])('of a tenth of %d is %d', (limit, expected) => {
    const { rules } = snapshotOf({}, [window('requests', limit), userShare]);
    expect(limitsFor(rules, 'x')[1]?.size).toBe(expected);
  });

  it('of a bucket refills by its share', () => {
    const share = {
      name: 'user',
      algorithm: 'token_bucket',
      share_of: { limit: 'tenant', ratio: 0.25 },
    };
    const { rules } = snapshotOf({}, [
      bucket('tenant', { bucket_capacity: 10, refill_rate_per_sec: 3 }),
      share,
    ]);
    expect(limitsFor(rules, 'x')[1]).toMatchObject({
      size: 2,
      numbers: { tokens: 3, perUs: 4_000_000 },
    });
  });
});

describe('a limit with a condition', () => {
  it('applies to calls that meet all of it', () => {
    const when = { 'attributes.feature': ['beta', 'alpha'], 'attributes.region': ['eu'] };
    const { rules } = snapshotOf({}, [requests, window('beta', 5, { when })]);
    const of = (attributes: Record<string, string>) => names(limitsFor(rules, 'x', { attributes }));
    expect(of({})).toEqual(['requests']);
    expect(of({ feature: 'beta' })).toEqual(['requests']);
    expect(of({ feature: 'gamma', region: 'eu' })).toEqual(['requests']);
    expect(of({ feature: 'alpha', region: 'eu' })).toEqual(['requests', 'beta']);
  });
});

describe('a mode', () => {
  const modeOf = (
    modes: readonly ModeSource[],
    limit: object = requests,
    { ofPolicy = null as string | null, sharedModes = [] as readonly ModeSource[] } = {},
  ) => {
    const policies = [policy('GET:/a', { id: 'p', limits: [limit], mode: ofPolicy })];
    const common = shared({ modes: sharedModes, plans: [plan('free', [limit])] });
    // What was compiled is remembered by version, and these are all of one.
    const { rules } = new Compiler().compile(tenant({ modes, policies }), common, nowMs);
    return rules.resolve('GET:/a').rules.map(({ mode: { mode: word } }) => word);
  };
  const own = window('requests', 60, { mode: 'warn' });

  it('comes from the limit, policy or resource, tenant, platform, in that order', () => {
    const platform = mode('platform', 'off');
    const ofTenant = mode('tenant', 'shadow');
    const ofResource = mode('resource', 'warn', { resource: 'GET:/*' });
    const ofPolicy = mode('policy', 'off', { policy_id: 'p' });
    const ofLimit = mode('limit', 'shadow', { limit_name: 'requests' });
    expect(modeOf([])).toEqual(['enforce', 'enforce']);
    expect(modeOf([], requests, { sharedModes: [platform] })).toEqual(['off', 'off']);
    expect(modeOf([ofTenant], requests, { sharedModes: [platform] })).toEqual(['shadow', 'shadow']);
    // A policy speaks for the limits of policies, a resource for all.
    expect(modeOf([ofTenant], requests, { ofPolicy: 'warn' })).toEqual(['shadow', 'warn']);
    expect(modeOf([ofTenant, ofResource], requests, { ofPolicy: 'off' })).toEqual(['warn', 'warn']);
    expect(modeOf([ofResource, ofPolicy])).toEqual(['warn', 'off']);
    expect(modeOf([ofResource, ofPolicy], own)).toEqual(['warn', 'warn']);
    expect(modeOf([ofLimit, ofResource], own)).toEqual(['shadow', 'shadow']);
  });

  it("of a tenant's own entry beats one for all, and the closer resource the wider", () => {
    const ofLimit = (word: string) => mode('limit', word, { limit_name: 'requests' });
    expect(modeOf([ofLimit('warn')], requests, { sharedModes: [ofLimit('off')] })).toEqual([
      'warn',
      'warn',
    ]);
    const wide = mode('resource', 'off', { resource: 'GET:/*' });
    const close = mode('resource', 'shadow', { resource: 'GET:/a' });
    expect(modeOf([wide, close])).toEqual(['shadow', 'shadow']);
  });

  it('of a security limit is lowered by name and on purpose only', () => {
    const guard = window('requests', 60, { security: true });
    const lowered = ['platform', 'tenant'].map((scope) => mode(scope as 'tenant', 'off'));
    expect(modeOf(lowered, guard)).toEqual(['enforce', 'enforce']);
    const byName = mode('limit', 'shadow', { limit_name: 'requests' });
    expect(modeOf([byName], guard)).toEqual(['enforce', 'enforce']);
    expect(modeOf([{ ...byName, confirm: true }], guard)).toEqual(['shadow', 'shadow']);
  });

  it('becomes enforce by itself on its day, and says that day until then', () => {
    const enforceFromMs = nowMs + 1000;
    const modes = [mode('tenant', 'warn', { enforceFromMs })];
    const common = shared({ plans: [plan('free', [requests])] });
    const at = (ms: number) => compiler.compile(tenant({ modes }), common, ms);
    const limitAt = (ms: number) => limitsFor(at(ms).rules, 'x')[0];
    expect(limitAt(nowMs)).toMatchObject({ mode: 'warn', enforceFromMs });
    expect(at(nowMs).validUntilUs).toBe(enforceFromMs * 1000);
    expect(limitAt(enforceFromMs)).toMatchObject({ mode: 'enforce', enforceFromMs: null });
  });

  it('of many tenants that are set alike is compiled once', () => {
    const modes = [mode('tenant', 'warn')];
    const common = shared({ plans: [plan('free', [requests])] });
    const limitOf = (id: string) =>
      limitsFor(compiler.compile(tenant({ id, modes }), common, nowMs).rules, 'x')[0];
    expect(limitOf('a')).toBe(limitOf('b'));
  });
});

describe('a block', () => {
  const party = (more: object = {}) => ({ subject: 'me', keyId: 'k1', attributes: {}, ...more });
  const blocksOf = (own: readonly BlockSource[], common: readonly BlockSource[] = []) =>
    compiler.compile(tenant({ blocks: own }), shared({ blocks: common }), nowMs).blocks;

  it.each([
    ['subject', { subject: 'me' }, {}],
    ['key', { key_id: 'k1' }, {}],
    ['attribute', { attribute: { name: 'country', value: 'XX' } }, { country: 'XX' }],
    ['address', { ip: '203.0.113.9' }, { ip: '203.0.113.9' }],
    ['range', { ip: '203.0.113.0/24' }, { ip: '203.0.113.200' }],
    ['range, in the longer form', { ip: '203.0.113.0/24' }, { ip: '::ffff:203.0.113.7' }],
    ['IPv6 range', { ip: '2001:db8::/32' }, { ip: '2001:db8:1::1' }],
  ])('by %s finds whom it is about, and nobody else', (_, source, attributes) => {
    const blocks = blocksOf([block('b', source)]);
    expect(blocks.of(party({ attributes }))?.id).toBe('b');
    expect(
      blocks.of({ subject: 'you', keyId: 'k2', attributes: { ip: '198.51.100.1' } }),
    ).toBeNull();
  });

  it('of all tenants counts as well, and shutting out wins over letting through', () => {
    const bypass = block('let', { subject: 'me', action: 'bypass' });
    expect(blocksOf([bypass]).of(party())?.action).toBe('bypass');
    expect(blocksOf([bypass], [block('out', { key_id: 'k1' })]).of(party())?.id).toBe('out');
  });

  it('ends by the clock', () => {
    const source = tenant({ blocks: [block('b', { subject: 'me', expiresAtMs: nowMs + 1 })] });
    const at = (ms: number) => compiler.compile(source, shared(), ms);
    expect(at(nowMs).blocks.of(party())).not.toBeNull();
    expect(at(nowMs).validUntilUs).toBe((nowMs + 1) * 1000);
    expect(at(nowMs + 1).blocks.of(party())).toBeNull();
  });

  it('of all tenants ends by the clock too', () => {
    const common = shared({ blocks: [block('b', { subject: 'me', expiresAtMs: nowMs + 1 })] });
    const at = (ms: number) => compiler.compile(tenant(), common, ms).blocks.of(party());
    expect([at(nowMs)?.id, at(nowMs + 1)]).toEqual(['b', null]);
  });

  it('is not fooled by what every object has', () => {
    const blocks = blocksOf([block('b', { attribute: { name: 'x', value: 'y' } })]);
    expect(blocks.of(party({ subject: '__proto__', attributes: { toString: 'y' } }))).toBeNull();
  });
});
