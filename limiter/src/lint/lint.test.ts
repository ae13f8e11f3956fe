import { describe, expect, it } from 'vitest';
import { concurrency, fixedWindow } from '../limiter/limits.ts';
import { lint, lintCodes, type LintConfig, type LintContext } from './index.ts';

const good = { limits: [fixedWindow({ limit: 5, window: '1 min' })] };

const mistakes: readonly [keyof typeof lintCodes, string, LintConfig, LintContext?][] = [
  ['SL001', 'limits', good, { madeTimes: 10 }],
  ['SL002', 'trustProxy', good, { forwardedSeen: true }],
  ['SL003', 'trustProxy', { ...good, trustProxy: 'framework' }, { frameworkTrustsAll: true }],
  ['SL004', 'by.user', good, { nothingIn: 'user' }],
  ['SL005', 'limits[0].window', { limits: [fixedWindow({ limit: 5, window: 60 })] }],
  [
    'SL005',
    'routes["GET:/a"].limits[0].staleAfter',
    {
      ...good,
      routes: { 'GET:/a': { limits: [concurrency({ maxConcurrent: 1, staleAfter: 30 })] } },
    },
  ],
  ['SL006', 'name', good, { nameIsTaken: 'limiter' }],
  ['SL007', 'routes["POST /search"]', { ...good, routes: { 'POST /search': {} } }],
  ['SL008', 'limits', { limits: [] }],
  ['SL009', 'costs.tokens', { ...good, costs: { tokens: 5 } }],
];

describe('lint', () => {
  it.each(mistakes)('finds %s at %s', (code, field, config, context) => {
    const findings = lint(config, context);
    expect(findings.map((finding) => [finding.code, finding.field])).toEqual([[code, field]]);
    expect(findings[0]?.message.length).toBeGreaterThan(20);
  });

  it('has a mistake for each of its codes', () => {
    expect(new Set(mistakes.map(([code]) => code))).toEqual(new Set(Object.keys(lintCodes)));
  });

  it.each([
    [good, {}],
    [{ limiter: {} }, {}],
    [{ plans: { free: good.limits } }, {}],
    [{ ...good, trustProxy: 1 }, { forwardedSeen: true }],
    [{ ...good, routes: { 'POST:/search': {}, '*unmatched': false } }, { madeTimes: 9 }],
    [
      { limits: [fixedWindow({ limit: 5, window: 60_000, unit: 'tokens' })], costs: { tokens: 1 } },
      {},
    ],
  ] as const)('finds nothing where there is nothing: %#', (config, context) => {
    expect(lint(config as LintConfig, context)).toEqual([]);
  });
});
