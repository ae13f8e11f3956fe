import type { StackRig } from '../rig/stacks.ts';

/** A wait for what happens by itself; a busy machine may be late by much. */
export const lasting = { timeout: 20_000, interval: 50 };

const hour = { algorithm: 'fixed_window', window_seconds: 3600, align: 'first_request' };
const plan = [
  { name: 'requests', limit: 50, ...hour },
  { name: 'tokens', unit: 'tokens', limit: 100, ...hour },
];
const call = { resource: 'r', subject: 's' };

/** What is done after checks, as a caller does it. */
export function onFollowUps(rig: StackRig) {
  const scopes = ['check', 'settle', 'usage', 'refund'];
  return {
    make: (limits: readonly object[] = plan) => rig.client.makeTenant({ limits, scopes }),

    /** The id of a reservation of one request and this many tokens. */
    reserve: async (key: string, tokens: number, reserve: object = {}): Promise<string> => {
      const { status, text, body } = await rig.client.check(key, {
        ...call,
        costs: { tokens },
        reserve: { ttl_ms: 60_000, ...reserve },
      });
      if (status !== 200) throw new Error(`not reserved: ${text}`);
      return (body['reservation'] as { id: string }).id;
    },

    settle: (key: string, id: string, costs: object) =>
      rig.client.follow(key, 'settle', { reservation_id: id, ...costs }),

    /** By name of the limit. */
    used: async (key: string): Promise<Record<string, number>> => {
      const { body } = await rig.client.check(key, { ...call, cost: 0 });
      const limits = body['limits'] as { name: string; used: number }[];
      return Object.fromEntries(limits.map(({ name, used }) => [name, used]));
    },
  };
}
