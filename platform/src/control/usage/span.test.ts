import { expect, it } from 'vitest';
import { parseSpan, type SpanInput } from './span.ts';

const nowMs = Date.UTC(2026, 10, 16, 10, 7, 30);

it.each<[SpanInput, string, string]>([
  [{}, '2026-11-16T09:08:00.000Z', '2026-11-16T10:08:00.000Z'],
  [{ step: 'hour' }, '2026-11-13T23:00:00.000Z', '2026-11-16T11:00:00.000Z'],
  [{ step: 'day' }, '2026-09-18T00:00:00.000Z', '2026-11-17T00:00:00.000Z'],
  [
    { from: '2026-11-16T09:59:59.999Z', to: '2026-11-16T10:00:00.001Z' },
    '2026-11-16T09:59:00.000Z',
    '2026-11-16T10:01:00.000Z',
  ],
  [
    { from: '2026-11-16T11:30:00+02:00', to: '2026-11-16T10:00:00Z', step: 'hour' },
    '2026-11-16T09:00:00.000Z',
    '2026-11-16T10:00:00.000Z',
  ],
  [
    { from: '1970-01-02T00:00:00Z', to: '1970-01-03T00:00:00Z', step: 'day' },
    '1970-01-02T00:00:00.000Z',
    '1970-01-03T00:00:00.000Z',
  ],
])('%j is whole steps in UTC', (input, from, to) => {
  const span = parseSpan(input, nowMs);
  expect([span.from.toISOString(), span.to.toISOString()]).toEqual([from, to]);
});

it.each<[SpanInput, string]>([
  [{ from: '2026-11-16T10:00:00Z', to: '2026-11-16T10:00:00Z' }, 'from: must be before `to`'],
  [{ from: '2026-11-16T11:00:00Z', to: '2026-11-16T10:00:00Z' }, 'from: must be before `to`'],
  [{ from: '2026-11-15T09:00:00Z' }, 'from: lies over 1500 steps back; use a longer step'],
  [
    { from: '2026-11-01T00:00:00Z', to: '2026-11-01T01:00:00Z' },
    'from: is further back than 14 days; use a longer step',
  ],
  [
    { from: '2024-11-01T00:00:00Z', to: '2024-11-02T01:00:00Z', step: 'hour' },
    'from: is further back than 400 days; use a longer step',
  ],
  [{ from: '2026-02-30T00:00:00Z', to: 'x' }, 'to: is not a real date'],
])('%j is refused', (input, message) => {
  expect(() => parseSpan(input, nowMs)).toThrow(message);
});
