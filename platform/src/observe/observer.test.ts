import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { Metrics } from './metrics.ts';
import { Observer, type CheckLog } from './observer.ts';
import {
  allowed,
  blocked,
  decisionOf,
  eventOf,
  storeFailed,
  subject,
  windowOf,
  wouldBlock,
} from './test-events.ts';
import { noTracing, type Tracing } from './tracing.ts';

type Options = {
  readonly checkLog?: CheckLog;
  readonly secret?: string;
  readonly tracing?: Tracing;
};

function observe({ secret = 'the secret', ...options }: Options = {}) {
  let text = '';
  const metrics = new Metrics({ routes: ['/v1/check'], process: false });
  const log = createLogger({ destination: { write: (more) => (text += more) } });
  const observer = new Observer({ metrics, log, secret, ...options });
  const written = async () => {
    await log.close();
    return text;
  };
  const lines = async () =>
    (await written())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { observer, metrics, lines, written };
}

describe('the line of a check', () => {
  it('says what was decided about whom, without naming the subject', async () => {
    const { observer, lines } = observe();
    const decision = allowed();
    observer.check(eventOf(decision));
    expect(await lines()).toEqual([
      {
        level: 'info',
        pid: process.pid,
        time: expect.any(Number),
        event: 'api.v1.check',
        outcome: 'allowed',
        algorithm: 'fixed_window',
        tenant: '01990000-0000-7000-8000-000000000001',
        subject_hash: expect.stringMatching(/^[\w-]{22}$/),
        resource: 'GET:/orders',
        decision_id: decision.decisionId,
        limit: 10,
        remaining: 9,
        retry_after_ms: 0,
        basis: 'exact',
        degraded_reason: null,
        duration_ms: 0.123,
        request_id: 'req-1',
      },
    ]);
  });

  it('is ASCII, and says the same, whatever letters its resource, tenant and request have', async () => {
    const { observer, lines, written } = observe();
    const [tenant, requestId] = ['мухa', 'é'];
    const shadowed = wouldBlock('shadow');
    for (const resource of ['GET:/ж🪲', `GET:/${'ж'.repeat(500)}`]) {
      observer.check(eventOf(shadowed, { tenant, requestId, resource }));
    }
    expect(await written()).toMatch(/^[\n\x20-\x7e]+$/);
    const [first, , second] = await lines();
    expect(first).toMatchObject({ tenant, request_id: requestId, resource: 'GET:/ж🪲' });
    expect(second?.['resource']).toBe(`GET:/${'ж'.repeat(195)}…`);
  });

  it.each(['all', 'refused', 'none'] as const)(
    'reads the same of checks that are told of together (log: %s)',
    async (checkLog) => {
      const atMs = Date.now();
      const events = [allowed(), blocked(), wouldBlock('shadow'), storeFailed('open')].flatMap(
        (decision, at) => [
          eventOf(decision, { subject: `user ${at}` }),
          eventOf(decision, { subject: `user ${at}`, tenant: 'another' }),
        ],
      );
      const [together, alone] = [observe({ checkLog }), observe({ checkLog })];
      together.observer.checks(events, atMs);
      for (const event of events) alone.observer.check(event, atMs);
      // A shadow's line has a time of its own.
      const timeless = async ({ lines }: typeof alone) =>
        (await lines()).map((line) => ({ ...line, time: 0 }));
      expect(await timeless(together)).toEqual(await timeless(alone));
      expect(await together.metrics.text()).toBe(await alone.metrics.text());
    },
  );

  it('says why a check was refused or not counted', async () => {
    const { observer, lines } = observe();
    observer.check(eventOf(blocked(), { requestId: null }));
    observer.check(eventOf(storeFailed('open')));
    expect(await lines()).toEqual([
      expect.objectContaining({ outcome: 'blocked', remaining: 0, request_id: null }),
      expect.objectContaining({
        outcome: 'degraded',
        algorithm: null,
        limit: null,
        basis: 'fail_open',
        degraded_reason: 'timeout',
      }),
    ]);
  });

  it('is named after its door', async () => {
    const { observer, lines } = observe();
    observer.check(eventOf(allowed(), { route: '/v1/gate/*' }));
    observer.check(eventOf(allowed(), { route: 'envoy.rls' }));
    expect((await lines()).map(({ event }) => event)).toEqual(['api.v1.gate.*', 'envoy.rls']);
  });

  it('carries the ids of the span it belongs to', async () => {
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const tracing = { ...noTracing, enabled: true, activeIds: () => ids };
    const { observer, lines } = observe({ tracing });
    observer.check(eventOf(allowed()));
    expect(await lines()).toEqual([
      expect.objectContaining({ trace_id: ids.traceId, span_id: ids.spanId }),
    ]);
  });

  it('is valid JSON and one line whatever the caller sends', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const written: string[] = [];
    const observer = new Observer({
      metrics: new Metrics({ process: false }),
      log: { wantsInfo: true, write: (line) => written.push(line) },
      secret: 'x',
    });
    const decision = allowed();
    fc.assert(
      fc.property(
        fc.record({
          route: text,
          tenant: text,
          resource: fc.oneof(text, fc.constant('a\n"}{\u2028')),
          subject: text,
          requestId: fc.oneof(text, fc.constant(null)),
          durationUs: fc.double(),
        }),
        (event) => {
          observer.check(eventOf(decision, event));
          const line = written.pop() ?? '';
          expect(line.indexOf('\n')).toBe(line.length - 1);
          expect(JSON.parse(line)).toMatchObject({ outcome: 'allowed' });
        },
      ),
    );
  });
});

describe('a would-block', () => {
  it.each(['warn', 'shadow'] as const)('of a %s limit gets a line of its own', async (mode) => {
    const { observer, metrics, lines } = observe();
    observer.check(eventOf(wouldBlock(mode)));
    const [check, shadow] = await lines();
    expect(check).toMatchObject({ outcome: mode === 'warn' ? 'warned' : 'shadowed' });
    expect(shadow).toMatchObject({
      event: 'rate_limit_shadow',
      mode,
      limit_name: 'tight',
      limit: 1,
      used: 1,
      resource: 'GET:/orders',
      subject_hash: check?.['subject_hash'],
      decision_id: check?.['decision_id'],
    });
    expect(await metrics.text()).toContain(
      `rl_would_block_total{mode="${mode}",policy="search",tier="pro"} 1`,
    );
  });

  it('is told of a refused check too', async () => {
    const { observer, lines } = observe();
    observer.check(eventOf(decisionOf([windowOf('all', 1), windowOf('s', 1, 'shadow')], 2)));
    expect((await lines()).map(({ event }) => event)).toEqual([
      'api.v1.check',
      'rate_limit_shadow',
    ]);
  });
});

describe('which checks are logged', () => {
  const outcomesLogged = async (checkLog: CheckLog) => {
    const { observer, metrics, lines } = observe({ checkLog });
    for (const decision of [allowed(), blocked(), wouldBlock('shadow')]) {
      observer.check(eventOf(decision));
    }
    expect(await metrics.text()).toContain('outcome="shadowed",algorithm="fixed_window"} 1');
    return (await lines()).map(({ outcome, event }) => outcome ?? event);
  };

  it('is a setting: all, those refused, none; all are counted', async () => {
    expect(await outcomesLogged('all')).toEqual([
      'allowed',
      'blocked',
      'shadowed',
      'rate_limit_shadow',
    ]);
    expect(await outcomesLogged('refused')).toEqual(['blocked', 'rate_limit_shadow']);
    expect(await outcomesLogged('none')).toEqual([]);
  });
});

describe('privacy', () => {
  const secret = 'hunter2';

  it('no subject and no secret is in any line or metric', async () => {
    const { observer, metrics, written } = observe({ secret });
    const decisions = [
      allowed(),
      blocked(),
      wouldBlock('warn'),
      wouldBlock('shadow'),
      storeFailed('open'),
      storeFailed('closed'),
    ];
    for (const decision of decisions) {
      observer.check(
        eventOf(decision, { resource: `GET:/slk_abc_${secret}/x?token=${secret}&u=${subject}` }),
      );
    }
    expect(await metrics.text()).toContain('rl_events_dropped_total 0');
    const seen = (await written()) + (await metrics.text());
    expect(seen.split('\n').length).toBeGreaterThan(decisions.length);
    expect(seen).not.toContain(subject);
    expect(seen).not.toContain('ann');
    expect(seen).not.toContain(secret);
  });

  it('a subject’s hash is the same on every node with the secret and means nothing without', () => {
    const hashOf = (secret: string, tenant: string) =>
      observe({ secret }).observer.subjectHash(tenant, subject);
    expect(hashOf('one', 'acme')).toBe(hashOf('one', 'acme'));
    expect(hashOf('one', 'acme')).not.toBe(hashOf('two', 'acme'));
    expect(hashOf('one', 'acme')).not.toBe(hashOf('one', 'other'));
  });
});

describe('a failure while observing', () => {
  it('never reaches the caller, and is counted', async () => {
    const metrics = new Metrics({ process: false });
    const log = {
      wantsInfo: true,
      write: () => {
        throw new Error('no space');
      },
    };
    const observer = new Observer({ metrics, log, secret: 'x' });
    observer.check(eventOf(allowed()));
    observer.check(eventOf(allowed(), { subject: undefined as unknown as string }));
    expect(await metrics.text()).toContain('rl_events_dropped_total 2');
  });
});
