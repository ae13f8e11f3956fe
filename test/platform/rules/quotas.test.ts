import { expect, it } from 'vitest';
import { NodeClient } from '../rig/client.ts';
import { onEveryStack, storeKinds } from '../rig/stacks.ts';

type Level = { readonly used: number; readonly remaining: number };
type Tree = Level & {
  readonly teams: Readonly<Record<string, Level & { readonly users: Record<string, Level> }>>;
};

onEveryStack(
  'a tree of quotas',
  (rig) => {
    const tree = {
      name: 'calls',
      limit: 10,
      teams: { eng: { limit: 6, users: { ann: { limit: 2 } } }, ops: { limit: 4 } },
    };
    const withTree = async (more: object = {}) => {
      const tenant = await rig.client.makeTenant({ limits: [] });
      await rig.client.change('PUT', `quotas/${tenant.id}`, { ...tree, ...more });
      const ask = (team?: string, user?: string, cost = 1) =>
        rig.client.check(tenant.key, {
          resource: 'x',
          subject: 'me',
          cost,
          attributes: { ...(team && { team }), ...(user && { user }) },
        });
      const read = async () =>
        (await rig.client.change('GET', `quotas/${tenant.id}`)) as unknown as Tree;
      return { ...tenant, ask, read };
    };

    it('is charged at all levels that a check names, or at none', async () => {
      const { ask, read } = await withTree();
      await ask('eng', 'ann');
      await ask('eng', 'ann');
      const user = await ask('eng', 'ann');
      expect(user.status).toBe(429);
      expect(user.body.blocked_by).toMatchObject({ limit: 'calls/user', level: 'user' });
      await ask('eng', 'bob', 4);
      const team = await ask('eng', 'bob');
      expect(team.body.blocked_by).toMatchObject({ level: 'team', entity: 'eng' });
      await ask('ops');
      await ask();
      const organization = await ask('ops', undefined, 3);
      expect(organization.body.blocked_by).toMatchObject({ level: 'organization' });
      const { used, remaining, teams } = await read();
      expect({ used, remaining }).toEqual({ used: 8, remaining: 2 });
      expect(teams['eng']).toMatchObject({ used: 6, remaining: 0 });
      expect(teams['eng']?.users['ann']).toMatchObject({ used: 2, remaining: 0 });
      expect(teams['ops']).toMatchObject({ used: 1, remaining: 3 });
    });

    it('admits exactly what it has, however many come at once', async () => {
      const { ask, read } = await withTree();
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, at) =>
          at % 3 === 0 ? ask('ops') : ask('eng', at % 3 === 1 ? 'ann' : 'bob'),
        ),
      );
      const admitted = answers.filter(({ status }) => status === 200).length;
      const { used, teams } = await read();
      expect(admitted).toBe(used);
      expect(used).toBeLessThanOrEqual(10);
      expect(teams['eng']?.used).toBeLessThanOrEqual(6);
      expect(teams['eng']?.users['ann']?.used).toBeLessThanOrEqual(2);
      expect((teams['eng']?.used ?? 0) + (teams['ops']?.used ?? 0)).toBe(used);
      // Nothing was charged in vain: what is left somewhere can be had.
      expect(used).toBe(10);
    });

    it('is topped up until its period ends', async () => {
      const { id, ask } = await withTree({ teams: {} });
      expect((await ask(undefined, undefined, 10)).status).toBe(200);
      expect((await ask()).status).toBe(429);
      await rig.client.change('POST', `quotas/${id}/top-up`, { amount: 5, reason: 'launch day' });
      const { body } = await ask(undefined, undefined, 5);
      expect(body).toMatchObject({ allowed: true, limit: 15, remaining: 0 });
      expect((await ask()).status).toBe(429);
    });

    it('leaves nothing where less is allowed than was used, and grows again', async () => {
      const { id, ask } = await withTree({ teams: {} });
      await ask(undefined, undefined, 8);
      await rig.client.change('PATCH', `quotas/${id}`, { limit: 5 });
      expect((await ask()).body).toMatchObject({ allowed: false, limit: 5, remaining: 0 });
      await rig.client.change('PATCH', `quotas/${id}`, { limit: 9 });
      expect((await ask()).status).toBe(200);
      await rig.client.change('DELETE', `quotas/${id}`);
      expect((await ask()).body.limits).toEqual([]);
    });

    it('is divided by its organisation itself, which can not enlarge it', async () => {
      const { id, ask } = await withTree();
      const token = await rig.client.change('POST', 'tokens', {
        name: 'their admin',
        role: 'operator',
        tenant_id: id,
      });
      const theirs = new NodeClient(rig.client.url, token['token']);
      const teams = { eng: { limit: 1 }, ops: { limit: 9 } };
      await theirs.change('PATCH', `quotas/${id}`, { teams });
      expect([(await ask('eng')).status, (await ask('eng')).status]).toEqual([200, 429]);
      const refused = [
        await theirs.admin('PATCH', `quotas/${id}`, { limit: 1000 }),
        await theirs.admin('POST', `quotas/${id}/top-up`, { amount: 5, reason: 'please' }),
        await theirs.admin('PATCH', `quotas/${id}`, { teams: { eng: { limit: 11 } } }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 400]);
    });

    it('follows the calendar of its tenant', async () => {
      const { id } = await withTree({ teams: {} });
      await rig.client.change('PATCH', `tenants/${id}`, {
        timezone: 'Asia/Tokyo',
        billing_anchor_day: 15,
      });
      const quota = (await rig.client.change('GET', `quotas/${id}`)) as unknown as {
        period: unknown;
        starts_at: string;
        ends_at: string;
      };
      for (const edge of [quota.starts_at, quota.ends_at]) {
        expect(edge).toMatch(/-14T15:00:00.000Z$/);
      }
    });
  },
  { kinds: storeKinds },
);
