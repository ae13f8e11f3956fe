import { parseItem, parseList } from 'structured-headers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, MadeTenant } from './rig/client.ts';
import { type RunningNode, startNode } from './rig/node.ts';
import { makeStack, type Stack } from './rig/stacks.ts';

const profiles = ['default', 'ietf', 'trio', 'none'] as const;
type Profile = (typeof profiles)[number];

const limits = [
  { name: 'hourly', algorithm: 'fixed_window', limit: 2, window_seconds: 3600 },
  { name: 'burst', algorithm: 'token_bucket', bucket_capacity: 9, refill_rate_per_sec: 1 },
  { name: 'open', algorithm: 'concurrency', max_concurrent: 9, stale_after_seconds: 60 },
  { name: 'monthly', algorithm: 'quota', limit: 99, period: 'month', unit: 'elements' },
  { name: 'soon', algorithm: 'fixed_window', limit: 1, window_seconds: 60, mode: 'warn' },
];

const rateLimitNames: Readonly<Record<Profile, readonly string[]>> = {
  default: [
    'ratelimit',
    'ratelimit-policy',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ],
  ietf: ['ratelimit', 'ratelimit-policy'],
  trio: ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  none: [],
};

describe('the headers of a decision', () => {
  let stack: Stack;
  let tenant: MadeTenant;
  const nodes = new Map<Profile, RunningNode>();

  beforeAll(async () => {
    stack = await makeStack('PostgreSQL, Redis');
    for (const profile of profiles) {
      const settings = { ...stack.settings, SLUICE_HEADER_PROFILE: profile };
      nodes.set(profile, await startNode(settings));
    }
    tenant = await nodeOf('default').client.makeTenant({ limits });
  });

  afterAll(async () => {
    for (const node of nodes.values()) await node.stop();
    await stack.remove();
  });

  function nodeOf(profile: Profile): RunningNode {
    return nodes.get(profile) as RunningNode;
  }

  const ask = (profile: Profile, subject: string, cost = 1): Promise<Answer> =>
    nodeOf(profile).client.check(tenant.key, {
      resource: 'GET:/',
      subject,
      cost,
      costs: { elements: 3 },
    });

  const named = ({ headers }: Answer) =>
    [...headers.keys()].filter((name) => name.includes('ratelimit') && !name.includes('warning'));

  it.each(profiles)(
    'of a 200, a 429 and an impossible one are those of the profile %s',
    async (profile) => {
      const subject = `subject of ${profile}`;
      const answers = [
        await ask(profile, subject),
        await ask(profile, subject),
        await ask(profile, subject),
        await ask(profile, `${subject}, too much`, 3),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
      for (const answer of answers) {
        expect(named(answer)).toEqual(rateLimitNames[profile]);
        requireNumbers(answer, profile);
        requireDraft(answer, profile);
      }
      const waits = answers.map(({ headers }) => headers.get('retry-after'));
      const seconds = Math.ceil(Number(answers[2]?.body['retry_after_ms']) / 1000);
      const silent = profile === 'none';
      expect(waits).toEqual(silent ? [null, null, null, null] : ['0', '0', `${seconds}`, null]);
      const warning = answers[1]?.headers.get('x-ratelimit-warning');
      expect(warning).toBe(silent ? null : 'soon: 1 per 1 minute, used 1, not enforced yet');
    },
  );

  function requireNumbers({ headers, body }: Answer, profile: Profile): void {
    if (profile !== 'default' && profile !== 'trio') return;
    const prefix = profile === 'default' ? 'x-ratelimit' : 'ratelimit';
    const number = (name: string) => parseItem(headers.get(`${prefix}-${name}`) ?? '')[0];
    expect(number('limit')).toBe(body['limit']);
    expect(number('remaining')).toBe(body['remaining']);
    const reset = Number(number('reset'));
    const resetAt = profile === 'default' ? reset : reset + Date.now() / 1000;
    expect(Math.abs(resetAt - Number(body['reset_at']))).toBeLessThan(
      profile === 'default' ? 1 : 30,
    );
  }

  /** As the draft has it: each enforced limit by its name, with what is left and until when. */
  function requireDraft({ headers, body }: Answer, profile: Profile): void {
    if (profile !== 'default' && profile !== 'ietf') return;
    const policies = parseList(headers.get('ratelimit-policy') ?? '');
    const states = parseList(headers.get('ratelimit') ?? '');
    const known = body['limits'] as { name: string; limit: number; remaining: number }[];
    expect(policies).toHaveLength(4);
    expect(states.map(([name]) => name)).toEqual(policies.map(([name]) => name));
    for (const [at, [name, parameters]] of policies.entries()) {
      const limit = known.find((one) => one.name === name);
      expect(parameters.get('q')).toBe(limit?.limit);
      expect(states[at]?.[1].get('r')).toBe(limit?.remaining);
    }
  }
});
