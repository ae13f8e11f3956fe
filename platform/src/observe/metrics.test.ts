import { describe, expect, it } from 'vitest';
import { aggregate, Metrics } from './metrics.ts';

const quiet = () => new Metrics({ routes: ['/v1/check'], process: false });

/** The value of a series, or undefined when there is none. */
function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const seriesIn = (text: string) => text.split('\n').filter((line) => /^[a-z]/.test(line));

describe('what is published', () => {
  it('counts checks by route, outcome and algorithm', async () => {
    const metrics = quiet();
    metrics.checked('/v1/check', 'allowed', 'token_bucket', 80);
    metrics.checked('/v1/check', 'allowed', 'token_bucket', 80);
    metrics.checked('/v1/check', 'warned', 'quota', 80);
    metrics.checked('/v1/check', 'blocked', null, 80);
    metrics.requestEnded('/v1/check', 'rejected');
    const text = await metrics.text();
    const labels = (outcome: string, algorithm: string) =>
      `{route="/v1/check",outcome="${outcome}",algorithm="${algorithm}"}`;
    expect(valueIn(text, `rl_allowed_total${labels('allowed', 'token_bucket')}`)).toBe(2);
    expect(valueIn(text, `rl_allowed_total${labels('warned', 'quota')}`)).toBe(1);
    expect(valueIn(text, `rl_blocked_total${labels('blocked', 'none')}`)).toBe(1);
    expect(valueIn(text, 'requests_total{route="/v1/check",outcome="allowed"}')).toBe(2);
    expect(valueIn(text, 'requests_total{route="/v1/check",outcome="rejected"}')).toBe(1);
  });

  it('tells decisions of microseconds apart', async () => {
    const metrics = quiet();
    for (const us of [20, 50, 51, 180, 900, 5_000_000, NaN]) {
      metrics.checked('/v1/check', 'allowed', null, us);
    }
    const text = await metrics.text();
    const bucket = (le: string) =>
      valueIn(text, `rl_decision_duration_seconds_bucket{le="${le}",route="/v1/check"}`);
    expect(bucket('0.00005')).toBe(2);
    expect(bucket('0.0001')).toBe(3);
    expect(bucket('0.0002')).toBe(4);
    expect(bucket('0.001')).toBe(5);
    expect(bucket('1')).toBe(5);
    expect(bucket('+Inf')).toBe(6);
    expect(valueIn(text, 'rl_decision_duration_seconds_count{route="/v1/check"}')).toBe(6);
    expect(valueIn(text, 'rl_decision_duration_seconds_sum{route="/v1/check"}')).toBeCloseTo(
      5.001201,
      6,
    );
  });

  it('says what else happened', async () => {
    const metrics = quiet();
    metrics.wouldBlock('shadow', 'search', 'pro');
    metrics.wouldBlock('warn', null, 'pro');
    metrics.degraded('fail_open', 'timeout');
    metrics.storeCalled('decide', 'ok', 300);
    metrics.cacheAsked('snapshot', 'hit');
    metrics.cacheAsked('snapshot', 'miss');
    metrics.staleRound('unknown');
    metrics.keyFailed('revoked');
    metrics.answered('POST', '/v1/check', 429, 700);
    metrics.eventsDropped(3);
    metrics.receiptsDropped(5);
    metrics.ledgerLost(6);
    metrics.debtsLost(7);
    metrics.breakerChanged('open');
    metrics.storeClockStepped('back');
    metrics.storeRolledBack();
    metrics.rolloutUntracked('batch');
    metrics.setEpochsUnpublished(4);
    metrics.checkStarted();
    metrics.checkStarted();
    metrics.checkEnded();
    const text = await metrics.text();
    expect(seriesIn(text).filter((line) => !line.includes('_bucket'))).toEqual([
      'rl_would_block_total{mode="shadow",policy="search",tier="pro"} 1',
      'rl_would_block_total{mode="warn",policy="none",tier="pro"} 1',
      'rl_degraded_total{basis="fail_open",reason="timeout"} 1',
      'rl_cache_lookups_total{cache="snapshot",outcome="hit"} 1',
      'rl_cache_lookups_total{cache="snapshot",outcome="miss"} 1',
      'rl_stale_rounds_total{kind="unknown"} 1',
      'rl_breaker_changes_total{state="open"} 1',
      'rl_store_clock_steps_total{direction="ahead"} 0',
      'rl_store_clock_steps_total{direction="back"} 1',
      'rl_store_rollbacks_total 1',
      'rl_key_failures_total{reason="revoked"} 1',
      'rl_rollout_untracked_total{what="batch"} 1',
      'rl_events_dropped_total 3',
      'rl_ledger_lost_total 6',
      'rl_debts_lost_total 7',
      'rl_receipts_dropped_total 5',
      'rl_store_duration_seconds_sum{operation="decide",outcome="ok"} 0.0003',
      'rl_store_duration_seconds_count{operation="decide",outcome="ok"} 1',
      'http_request_duration_seconds_sum{method="POST",route="/v1/check",status="429"} 0.0007',
      'http_request_duration_seconds_count{method="POST",route="/v1/check",status="429"} 1',
      'rl_checks_in_flight 1',
      'rl_epochs_unpublished 4',
    ]);
  });

  it('is the text format: help and type of every metric, a final newline, escaped labels', async () => {
    const metrics = quiet();
    metrics.wouldBlock('warn', 'a"b\\c\nd', 'pro');
    const text = await metrics.text();
    expect(text.endsWith('\n')).toBe(true);
    expect(text).toContain('policy="a\\"b\\\\c\\nd"');
    expect(text).toContain('# TYPE rl_decision_duration_seconds histogram');
    expect(text).toContain('# TYPE rl_allowed_total counter');
    expect(text).toContain('# TYPE rl_checks_in_flight gauge');
    expect(text.match(/^# HELP /gm)).toHaveLength(27);
  });

  it('includes figures of the process', async () => {
    const text = await new Metrics().text();
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).toContain('process_resident_memory_bytes');
  });
});

describe('labels', () => {
  it('stay bounded under 10,000 invented names', async () => {
    const metrics = quiet();
    for (let i = 0; i < 10_000; i++) {
      metrics.checked(`/invented/${i}`, 'allowed', 'token_bucket', 10);
      metrics.requestEnded(`/invented/${i}`, 'failed');
      metrics.wouldBlock('shadow', `policy-${i}`, `tier-${i % 5000}`);
      metrics.degraded('local', `reason-${i}`);
      metrics.storeCalled(`operation-${i}`, 'ok', 10);
      metrics.cacheAsked(`cache-${i}`, 'hit');
      metrics.keyFailed(`reason-${i}`);
      metrics.answered(`METHOD${i}`, `/invented/${i}`, i, 10);
    }
    const text = await metrics.text();
    const count = (name: string) => seriesIn(text).filter((line) => line.startsWith(name)).length;
    expect(count('rl_allowed_total')).toBe(1);
    expect(count('requests_total')).toBe(7);
    expect(count('rl_would_block_total')).toBeLessThanOrEqual(201);
    expect(count('rl_degraded_total')).toBeLessThanOrEqual(101);
    expect(count('rl_cache_lookups_total')).toBeLessThanOrEqual(202);
    expect(count('rl_key_failures_total')).toBeLessThanOrEqual(101);
    expect(count('rl_store_duration_seconds_count')).toBeLessThanOrEqual(101);
    // 500 status codes and one for all that are none.
    expect(count('http_request_duration_seconds_count')).toBe(501);
    expect(text).not.toContain('invented');
    expect(text).toContain('rl_allowed_total{route="other",outcome="allowed"');
  });

  it('stay bounded where every pair of two bounded ones is a series', async () => {
    const metrics = quiet();
    for (let i = 0; i < 10_000; i++) {
      metrics.wouldBlock('shadow', `policy-${i % 100}`, `tier-${Math.floor(i / 100)}`);
    }
    const text = await metrics.text();
    const series = seriesIn(text).filter((line) => line.startsWith('rl_would_block_total'));
    expect(series).toHaveLength(2_001);
    const total = series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    expect(total).toBe(10_000);
  });

  it('tell routes apart from the moment they are named', async () => {
    const metrics = quiet();
    metrics.checked('/v1/gate', 'allowed', null, 10);
    metrics.addRoute('/v1/gate');
    metrics.checked('/v1/gate', 'allowed', null, 10);
    const text = await metrics.text();
    expect(valueIn(text, 'requests_total{route="other",outcome="allowed"}')).toBe(1);
    expect(valueIn(text, 'requests_total{route="/v1/gate",outcome="allowed"}')).toBe(1);
  });
});

describe('the metrics of several workers', () => {
  it('are added up: counters, histograms, gauges', async () => {
    const workers = [
      new Metrics({ routes: ['/v1/check'] }),
      new Metrics({ routes: ['/v1/check'] }),
    ];
    for (const [at, metrics] of workers.entries()) {
      for (let i = 0; i <= at; i++)
        metrics.checked('/v1/check', 'allowed', 'quota', 100 + 900 * at);
      metrics.checkStarted();
      metrics.setEpochsUnpublished(5);
    }
    // As it travels between processes.
    const snapshots = await Promise.all(
      workers.map(async (metrics) => JSON.parse(JSON.stringify(await metrics.snapshot()))),
    );
    const text = await aggregate(snapshots);
    const allowed = 'rl_allowed_total{route="/v1/check",outcome="allowed",algorithm="quota"}';
    const bucket = (le: string) =>
      valueIn(text, `rl_decision_duration_seconds_bucket{le="${le}",route="/v1/check"}`);
    expect(valueIn(text, allowed)).toBe(3);
    expect(bucket('0.0001')).toBe(1);
    expect(bucket('0.001')).toBe(3);
    expect(bucket('+Inf')).toBe(3);
    expect(valueIn(text, 'rl_decision_duration_seconds_count{route="/v1/check"}')).toBe(3);
    expect(valueIn(text, 'rl_decision_duration_seconds_sum{route="/v1/check"}')).toBeCloseTo(
      0.0021,
      9,
    );
    expect(valueIn(text, 'rl_checks_in_flight')).toBe(2);
    expect(valueIn(text, 'rl_epochs_unpublished')).toBe(5);
    expect(text).not.toContain('null');
  });
});
