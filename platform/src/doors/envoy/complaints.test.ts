import { expect, it } from 'vitest';
import { type Complaint, Complaints } from './complaints.ts';

it('says the first of each kind at once, then one in ten seconds for all that came', () => {
  const said: Complaint[] = [];
  const complaints = new Complaints((complaint) => said.push(complaint));
  for (let atMs = 0; atMs <= 25_000; atMs += 1000) complaints.add('INTERNAL', atMs, atMs);
  complaints.add('tls', 'why', 500);
  expect(said).toEqual([
    { kind: 'INTERNAL', count: 1, error: 0 },
    { kind: 'INTERNAL', count: 10, error: 10_000 },
    { kind: 'INTERNAL', count: 10, error: 20_000 },
    { kind: 'tls', count: 1, error: 'why' },
  ]);
});
