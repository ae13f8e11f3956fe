import { Validator } from '@seriousme/openapi-schema-validator';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mint } from '../../../platform/src/control/credentials/credential.ts';
import { openDatabase } from '../../../platform/src/database/index.ts';
import { AddressFailures } from '../../../platform/src/decide/index.ts';
import { type AdminRoute, routes } from '../../../platform/src/doors/http/admin/routes.ts';
import { findFreePort } from '../../servers/free-port.ts';
import { Documented, type OpenApi } from '../rig/documented.ts';
import { AdminRig, type AdminSuite, type Asking, onEveryAdmin } from './rig.ts';
import {
  fillRoom,
  makeWorld,
  newStep,
  type Objects,
  type Request,
  requestFor,
  type World,
} from './world.ts';

onEveryAdmin('every route', (suite) => {
  let world: World;
  let document: OpenApi;
  const documented = new Documented();
  let viewer: string;
  let tenants: string;

  beforeAll(async () => {
    const { admin } = suite;
    world = await makeWorld(admin);
    viewer = (await admin.makeToken('viewer')).token;
    tenants = (await admin.makeToken('owner', world.own.tenants)).token;
    document = admin.app.swagger() as unknown as OpenApi;
  });

  const ask = async (admin: AdminRig, { method, path, ...sent }: Request, asking: Asking = {}) => {
    const answer = await admin.ask(method, path, { ...asking, ...sent });
    const headers = new Headers({ 'content-type': String(answer.headers['content-type']) });
    documented.watch(method, `/v1/admin/${path}`, { ...answer, headers });
    return answer;
  };

  /** How each status is brought about; what is not listed for a route never happens there. */
  const provocations: Readonly<
    Record<number, (route: AdminRoute) => Promise<{ readonly status: number }>>
  > = {
    400: (route) => {
      const { method, path, ...sent } = requestFor(route, world.own);
      const mark = path.includes('?') ? '&' : '?';
      return ask(suite.admin, { method, path: `${path}${mark}colour=red`, ...sent });
    },
    401: (route) => ask(suite.admin, requestFor(route, world.own), { token: null }),
    403: async (route) => {
      const token = route.tenants ? viewer : tenants;
      return ask(suite.admin, requestFor(route, world.own), { token });
    },
    404: (route) => {
      const request = requestFor(route, world.nothing);
      const isTenant = route.noun === 'tenants' && route.verb === 'create';
      const body = isTenant ? { name: 'x', plan_id: randomUUID() } : request.body;
      return ask(suite.admin, { ...request, ...(body !== undefined && { body }) });
    },
    409: (route) => provokeConflict(suite, route, world.own),
    413: (route) => {
      const { method, path } = requestFor(route, world.own);
      return ask(suite.admin, { method, path, body: `{"name":"${'x'.repeat(1_100_000)}"}` });
    },
    415: (route) => {
      const { method, path } = requestFor(route, world.own);
      const headers = { 'content-type': 'application/xml' };
      return ask(suite.admin, { method, path, body: '<x/>' }, { headers });
    },
    429: async (route) => {
      const request = requestFor(route, world.own);
      let status = 401;
      // Twenty wrong ones are allowed, and one more every two seconds.
      for (let attempt = 0; attempt < 100 && status === 401; attempt += 1) {
        ({ status } = await ask(limited, request, { token: 'wrong' }));
      }
      return { status };
    },
    503: (route) => {
      // Some is known without a database; who asks for it is not.
      const isKnown = route.verb === 'templates' || route.verb === 'self';
      const asking = isKnown ? { token: mint('token', 'secret').text } : {};
      return ask(away, requestFor(route, world.own), asking);
    },
  };

  let away: AdminRig;
  let limited: AdminRig;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    // Nobody listens there.
    const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/none`;
    const database = await openDatabase({ url });
    away = await AdminRig.open(database, suite.engine, { markSecret: 'secret' });
    const failures = new AddressFailures();
    limited = await AdminRig.open(suite.rig.database, suite.engine, { failures });
    closing.push(
      ...[away, limited].map(
        ({ app }) =>
          () =>
            app.close(),
      ),
    );
    closing.push(
      () => database.close(),
      () => failures.close(),
    );
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  describe.each(routes.map((route) => [`${route.noun}.${route.verb}`, route] as const))(
    '%s',
    (_name, route) => {
      it('answers with each status that it documents', async () => {
        const path = route.path.replace(':id', '{id}');
        const { responses = {} } = document.paths[path]?.[route.method.toLowerCase()] ?? {};
        const statuses = Object.keys(responses).map(Number);
        const produced: number[] = [];
        for (const status of statuses.filter((status) => status >= 400)) {
          produced.push((await provocations[status]?.(route))?.status ?? 0);
        }
        const objects = { ...world.own, ...(await freshObjects(suite.admin, route)) };
        produced.unshift((await ask(suite.admin, requestFor(route, objects))).status);
        expect(produced).toEqual(statuses);
      });
    },
  );

  it('answers as it documents', () => {
    expect(documented.problems(document)).toEqual([]);
  });

  it('is described by a valid document', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it('went wrong nowhere in a way that nobody foresaw', () => {
    expect([...suite.admin.unexpected, ...away.unexpected]).toEqual([]);
  });
});

/** An object to delete, where others still need the common one. */
async function freshObjects(admin: AdminRig, { verb }: AdminRoute): Promise<Partial<Objects>> {
  if (verb === 'stepBack') return (await makeEnforced(admin)).own;
  if (verb !== 'remove' && verb !== 'rotate' && verb !== 'clear') return {};
  return (await makeWorld(admin)).own;
}

/** With a limit that can be stepped back. */
async function makeEnforced(admin: AdminRig): Promise<World> {
  const world = await makeWorld(admin);
  const tenant_id = world.own.tenants;
  await admin.put('modes', { scope: 'limit', tenant_id, limit: 'm', mode: 'enforce' });
  return world;
}

/** Of which a tenant may have any two, and only so many. */
const withRoomOnly = ['keys', 'tokens', 'overrides', 'blocks', 'webhooks'] as const;

function hasRoomOnly(noun: AdminRoute['noun']): noun is (typeof withRoomOnly)[number] {
  return withRoomOnly.some((one) => one === noun);
}

async function provokeConflict(
  { admin, rig }: AdminSuite,
  route: AdminRoute,
  own: Objects,
): Promise<{ readonly status: number }> {
  const { noun, verb } = route;
  if (verb === 'create' && hasRoomOnly(noun)) {
    const tenants = await admin.makeTenant();
    await fillRoom(rig.database.db, noun, tenants);
    const { body } = requestFor(route, { ...own, tenants });
    return admin.post(noun, body);
  }
  if (noun === 'rollout') {
    // In shadow: nothing comes before it, and after one step the verdict is not there yet.
    const step = newStep((await makeWorld(admin)).own.tenants);
    if (verb === 'stepBack') return admin.post('rollout/step-back', step);
    await admin.post('rollout/promote', step);
    return admin.post('rollout/promote', step);
  }
  const { method, path, ...sent } = requestFor(route, own);
  if (verb !== 'create')
    return admin.ask(method, path, { headers: { 'if-match': '"999"' }, ...sent });
  await admin.ask(method, path, sent);
  return admin.ask(method, path, sent);
}
