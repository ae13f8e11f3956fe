import { beforeAll, describe, expect, it } from 'vitest';
import { writeCursor } from '../../../platform/src/control/page.ts';
import { type Body, onEveryAdmin, owner } from './rig.ts';

onEveryAdmin('lists', (suite) => {
  const tier = 'paged';
  let ids: readonly string[];

  beforeAll(async () => {
    const made: string[] = [];
    for (let at = 0; at < 500; at += 1) {
      made.push(await suite.admin.makeTenant({ name: `t${at}`, tier }));
    }
    ids = made;
  });

  /** All pages one after another, with something done between them. */
  async function readAll(path: string, between = async () => {}): Promise<readonly Body[]> {
    const items: Body[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body, status } = await suite.admin.get(`${path}${next}`);
      expect(status).toBe(200);
      items.push(...body.items);
      cursor = body.next_cursor;
      await between();
    } while (cursor !== null);
    return items;
  }

  it.each([7, 50, 200])('lose and repeat nothing in pages of %i', async (size) => {
    const items = await readAll(`tenants?tier=${tier}&limit=${size}`);
    expect(items.map(({ id }) => id)).toEqual(ids);
  });

  it('lose and repeat nothing while rows are added and removed', async () => {
    const { admin } = suite;
    const removed = new Set<string>();
    let at = 0;
    const items = await readAll(`tenants?tier=${tier}&limit=50`, async () => {
      await admin.makeTenant({ name: 'late', tier: at < 5 ? tier : 'other' });
      const gone = ids[at * 40 + 7] as string;
      await admin.delete(`tenants/${gone}`);
      removed.add(gone);
      at += 1;
    });
    const seen = items.map(({ id }) => id);
    expect(new Set(seen).size).toBe(seen.length);
    const missed = ids.filter((id) => !seen.includes(id) && !removed.has(id));
    expect(missed).toEqual([]);
  });

  it('of keys and tokens, whose ids are random, lose and repeat nothing either', async () => {
    const { admin } = suite;
    const tenant_id = await admin.makeTenant();
    const keys: string[] = [];
    for (let at = 0; at < 30; at += 1) {
      const { value } = await admin.control.keys.create(owner, { tenant_id, name: `k${at}` });
      keys.push(value.id);
    }
    const add = async () => {
      await admin.control.keys.create(owner, { tenant_id, name: 'late' });
    };
    const seen = (await readAll(`keys?tenant_id=${tenant_id}&limit=7`, add)).map(({ id }) => id);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(keys));
  });

  it('of what was done start with the newest', async () => {
    const items = await readAll('audit?noun=tenants&limit=200');
    const times = items.map(({ at }) => String(at));
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  });

  it('have fifty items unless told otherwise', async () => {
    const { body } = await suite.admin.get('tenants');
    expect(body.items).toHaveLength(50);
    expect(body.next_cursor).toEqual(expect.any(String));
  });

  describe('refuse', () => {
    it.each(['0', '201', '-1', '1.5', 'x', '', '1e9', '1&limit=2'])('limit=%s', async (limit) => {
      const { status, body } = await suite.admin.get(`tenants?limit=${limit}`);
      expect(status).toBe(400);
      expect(body['errors']).toMatchObject([{ field: 'limit' }]);
    });

    it('a cursor that was tampered with, or is of another list', async () => {
      const { admin } = suite;
      const first = await admin.get('tenants?limit=2');
      const cursor = String(first.body.next_cursor);
      const wrong = [
        '',
        'x',
        cursor.slice(1),
        cursor.slice(0, -2),
        `${cursor}AA`,
        cursor.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        writeCursor('plans', String(ids[0])),
        writeCursor('tenants', "x' OR 1=1 --"),
        writeCursor('tenants', 'no-uuid'),
        '%00',
        'A'.repeat(257),
      ];
      for (const text of wrong) {
        const { status, body } = await admin.get(`tenants?cursor=${encodeURIComponent(text)}`);
        expect({ text, status }).toEqual({ text, status: 400 });
        expect(body['errors']).toMatchObject([{ field: 'cursor' }]);
      }
      const epoch = writeCursor('publications', '1e5');
      expect((await admin.get(`publications?cursor=${epoch}`)).status).toBe(400);
    });

    it('a filter that is not known', async () => {
      const { status, body } = await suite.admin.get('tenants?colour=red');
      expect(status).toBe(400);
      expect(body['errors']).toMatchObject([{ field: 'colour' }]);
    });
  });
});
