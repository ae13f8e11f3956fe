import { singleBodies } from '../bodies.ts';
import { measure, type Contender } from '../measure.ts';
import type { ServicePace } from '../options.ts';
import type { Server } from '../process.ts';
import type { Rig } from '../rig.ts';
import { lineOf, type Line } from '../table.ts';
import { adminToken, makeTenant, refusing, watching } from '../tenants.ts';

/** Row f: what ledger, receipts, rollout and a listener to the live stream cost; and a flood. */
export async function measureEvidence(rig: Rig, pace: ServicePace): Promise<Line[]> {
  const redis = async (settings: Readonly<Record<string, string>> = {}) =>
    rig.sluice({
      SLUICE_REDIS_URL: await rig.redisUrl(),
      SLUICE_DATABASE_URL: await rig.databaseUrl(),
      ...settings,
    });
  const off = { SLUICE_EVIDENCE: 'off' };
  const nodes = {
    with: await redis(),
    without: await redis(off),
    embedded: await rig.sluice(),
    embeddedWithout: await rig.sluice(off),
  };
  const contenders: Record<string, Contender> = {};
  const add = async (name: string, server: Server, plan?: object) => {
    const keys = [await makeTenant(server, plan)];
    const load = { port: server.port, path: '/v1/check', keys, bodies: singleBodies() };
    await rig.driver.define(name, { ...load, mayRefuse: plan !== undefined });
    await rig.driver.runOnce(name);
    contenders[name] = { server, load: name, decisions: 1 };
  };
  // Who is compared comes right after whom it is compared with.
  await add('without', nodes.without);
  await add('with', nodes.with);
  await add('refused', nodes.with, refusing);
  await add('embeddedWithout', nodes.embeddedWithout);
  await add('embedded', nodes.embedded);
  await add('refusedEmbedded', nodes.embedded, refusing);
  await add('watchedWithout', nodes.without, watching);
  await add('watched', nodes.with, watching);
  const listening = [nodes.with, nodes.embedded].map((node) => listen(node));
  const seen = await measure(rig.driver, contenders, pace);
  const heard = await Promise.all(listening.map((listener) => listener.stop()));
  if (heard.some((bytes) => bytes === 0)) throw new Error('nobody heard the live stream');
  const line = (what: string, against: string, atLeast: number | null, names: [string, string]) => {
    const [subject, baseline] = names.map((name) => seen[name] ?? []);
    return lineOf({
      row: 'f',
      what,
      against,
      atLeast,
      subject: subject ?? [],
      baseline: baseline ?? [],
    });
  };
  return [
    line('all evidence, on Redis', 'none', 0.9, ['with', 'without']),
    line('all evidence, embedded', 'none', 0.9, ['embedded', 'embeddedWithout']),
    line('a shadow limit that is always exceeded', 'the same, no evidence', null, [
      'watched',
      'watchedWithout',
    ]),
    line('a flood, all refused, on Redis', 'admitted', 1, ['refused', 'with']),
    line('a flood, all refused, embedded', 'admitted', 1, ['refusedEmbedded', 'embedded']),
  ];
}

/** A console that watches. */
function listen({ url }: Server): { stop(): Promise<number> } {
  const ending = new AbortController();
  const reading = (async () => {
    const answer = await fetch(`${url}/v1/admin/live`, {
      headers: { authorization: `Bearer ${adminToken}` },
      signal: ending.signal,
    });
    let bytes = 0;
    try {
      for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length;
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
    return bytes;
  })();
  return {
    stop: () => {
      ending.abort();
      return reading;
    },
  };
}
