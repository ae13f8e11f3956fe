import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { routes } from '../../platform/src/doors/http/admin/routes.ts';
import { randomFrom } from '../support/store.ts';
import type { NodeClient } from '../platform/rig/client.ts';
import { campaign, sized } from './rig/campaign.ts';
import { startService } from './rig/service.ts';

const rounds = sized({ short: 1, long: 5 });
const limits = [
  { name: 'w', algorithm: 'fixed_window', limit: 100, window_seconds: 3600 },
  { name: 'slots', algorithm: 'concurrency', max_concurrent: 5, stale_after_seconds: 60 },
];
const check = { resource: 'GET:/secret-place', subject: 'a-secret-subject' };

// Every admin route, each status to the letter and on both databases, is held to this every day by
// test/platform/admin/authorization.test.ts. Here any id is tried in the place of any other.
campaign(
  'T57',
  'Ids of another tenant, everywhere',
  async (report, cleanUp) => {
    const { client, url } = await startService(cleanUp, { redisUrl: inject('redisUrl') });
    const [own, foreign] = [await makeAll(client), await makeAll(client)];
    const token = await client.change('POST', 'tokens', {
      tenant_id: own.tenantId,
      name: 'own',
      role: 'owner',
    });
    const random = randomFrom(57);
    const tally = { asked: 0, leaks: 0, unlike: 0, failures: 0, allowed: 0 };
    const told: string[] = [];
    const ask = async (method: string, path: string, body: unknown) => {
      const asked = await client.ask(method, path, {
        headers: { authorization: `Bearer ${token['token']}` },
        ...(method === 'GET' || body === undefined ? {} : { body }),
      });
      tally.asked += 1;
      if (asked.status >= 500) tally.failures += 1;
      return asked;
    };
    for (let round = 0; round < rounds; round += 1) {
      for (const { method, path } of routes) {
        for (const id of foreign.ids) {
          const nothing = random() < 0.5 ? randomUUID() : 'A'.repeat(id.length);
          const bodyOf = (one: string, tenant: string) => ({
            tenant_id: tenant,
            plan_id: one,
            name: 'mine now',
            resource: 'x',
            subject: check.subject,
          });
          const place = (one: string) => path.replace(':id', encodeURIComponent(one));
          const query = (tenant: string) => (path.includes(':id') ? '' : `?tenant_id=${tenant}`);
          const [foreignPath, nothingPath] = [
            place(id) + query(foreign.tenantId),
            place(nothing) + query(randomUUID()),
          ];
          const theirs = await ask(method, foreignPath, bodyOf(id, foreign.tenantId));
          const nobodys = await ask(method, nothingPath, bodyOf(nothing, randomUUID()));
          const secrets = [...foreign.ids, ...foreign.secrets].filter(
            // What was asked for may be said back.
            (one) => one !== id && one !== foreign.tenantId && one !== check.subject,
          );
          const isLeak = secrets.some((one) => theirs.text.includes(one));
          if (isLeak) tally.leaks += 1;
          if (theirs.status < 300 && path.includes(':id')) tally.allowed += 1;
          if (theirs.status !== nobodys.status) tally.unlike += 1;
          if (isLeak || theirs.status !== nobodys.status) {
            told.push(`${method} ${path}: ${theirs.status} and ${nobodys.status}`);
          }
          // An address with an id in it names one object: asking for the others again says no more.
          if (!path.includes(':id')) break;
        }
      }
    }
    // What follows a check, by the key of another.
    const follow = { 'x-api-key': own.key };
    const followUps = (of: Awaited<ReturnType<typeof makeAll>>) =>
      [
        ['settle', { reservation_id: of.reservation, cost: 1 }],
        ['release', { ticket: of.ticket }],
        ['heartbeat', { ticket: of.ticket, ttl_ms: 5000 }],
        ['heartbeat', { reservation_id: of.reservation, ttl_ms: 5000 }],
        ['refund', { decision_id: of.decision }],
      ] as const;
    for (const [verb, body] of followUps(foreign)) {
      const answer = await client.ask('POST', `/v1/${verb}`, { headers: follow, body });
      tally.asked += 1;
      if (answer.status >= 500) tally.failures += 1;
      if (answer.status < 300 && !/"(released|renewed)":false/.test(answer.text)) {
        tally.allowed += 1;
        told.push(`${verb}: ${answer.text.slice(0, 100)}`);
      }
    }
    // Whose they are may: the above proved something.
    const owner = { 'x-api-key': foreign.key };
    const [settle, release] = followUps(foreign);
    for (const [verb, body] of [settle, release]) {
      const answer = await client.ask('POST', `/v1/${verb}`, { headers: owner, body });
      if (answer.status !== 200) told.push(`its own ${verb}: ${answer.status} ${answer.text}`);
      if (answer.status !== 200) tally.failures += 1;
    }
    const usage = await fetch(`${url}/v1/usage?tenant_id=${foreign.tenantId}`, { headers: follow });
    if ((await usage.text()).includes(foreign.planId)) tally.leaks += 1;
    report.exactly('leaks', tally.leaks, 0);
    report.exactly('done to another tenant', tally.allowed, 0);
    report.exactly('answers unlike those for what is nowhere', tally.unlike, 0);
    report.exactly('5xx', tally.failures, 0);
    report.note(`${tally.asked} requests on ${routes.length} admin routes and 5 others`);
    for (const line of new Set(told)) report.note(line);
  },
  { takesMs: rounds * 120_000 },
);

/** One of each of what a tenant can have. */
async function makeAll(client: NodeClient) {
  const { id: tenant_id, planId, key, keyId } = await client.makeTenant({ limits });
  const secret = `secret-${randomUUID()}`;
  const make = async (noun: string, body: object) =>
    (await client.change('POST', noun, { tenant_id, ...body }))['id'];
  const made = [
    await make('policies', { resource: `GET:/${secret}`, cost: 2 }),
    await make('overrides', { limit: 'w', numbers: { limit: 20 }, reason: secret }),
    await make('blocks', { subject: 'mallory', reason: secret }),
    await make('tokens', { name: secret, role: 'viewer' }),
    await make('webhooks', {
      url: `https://hooks.example.com/${secret}`,
      events: ['quota.threshold'],
    }),
  ];
  const held = { ...check, reserve: { ttl_ms: 600_000 } };
  const { status, text } = await client.check(key, held);
  const reservation = /"reservation":\{"id":"([^"]+)"/.exec(text)?.[1];
  const [ticket, decision] = [fieldOf(text, 'ticket'), fieldOf(text, 'decision_id')];
  if (!reservation || !ticket || !decision) throw new Error(`not held: ${status} ${text}`);
  return {
    tenantId: tenant_id,
    planId: planId ?? '',
    key,
    ids: [tenant_id, planId ?? '', keyId, ...made],
    secrets: [secret, key],
    reservation,
    ticket,
    decision,
  };
}

function fieldOf(text: string, name: string): string | undefined {
  return new RegExp(`"${name}":"([^"]*)"`).exec(text)?.[1];
}
