import { request } from 'node:http';
import { inject } from 'vitest';
import { campaign } from './rig/campaign.ts';
import { startService } from './rig/service.ts';

const victim = '203.0.113.7';
const forgeries: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-for': victim },
  { 'x-forwarded-for': `198.51.100.1, ${victim}` },
  { 'x-forwarded-for': `${victim}, 127.0.0.1` },
  { 'x-forwarded-for': `${`${victim}, `.repeat(300)}${victim}` },
  { forwarded: `for=${victim}` },
  { forwarded: `for="[::ffff:${victim}]:80";proto=https` },
  { 'x-real-ip': victim },
  { 'x-client-ip': victim },
  { 'true-client-ip': victim },
  { 'cf-connecting-ip': victim },
  { 'x-forwarded': victim },
  { 'x-cluster-client-ip': victim },
];
const triesEach = 8;
/** So many wrong keys from one address, and one more every two seconds. */
const allowed = 20;
const refillPerSecond = 0.5;

campaign('T50', 'Forged forwarding headers', async (report, cleanUp) => {
  const { url } = await startService(cleanUp, {
    redisUrl: inject('redisUrl'),
    settings: { SLUICE_TRUSTED_PROXIES: '127.0.0.1/32' },
  });
  const startedMs = performance.now();
  const tried: number[] = [];
  for (const headers of forgeries) {
    for (let at = 0; at < triesEach; at += 1) {
      // From an address that nobody trusts; always with another lie.
      const number = `${tried.length}`;
      const lie = Object.entries(headers).map(([name, value]) => [
        name,
        at % 2 === 0 ? value : value.replaceAll('.7', `.${Number(number) % 250}`),
      ]);
      tried.push(await guess(url, '127.0.0.2', Object.fromEntries(lie)));
    }
  }
  const passed = tried.filter((status) => status === 401).length;
  const fair = allowed + Math.ceil(((performance.now() - startedMs) / 1000) * refillPerSecond);
  const victimTold: number[] = [];
  for (let at = 0; at < 10; at += 1) {
    victimTold.push(await guess(url, '127.0.0.1', { 'x-forwarded-for': victim }));
  }
  report.exactly('guesses beyond what one address has', Math.max(0, passed - fair), 0);
  report.exactly('victims shut out', victimTold.filter((status) => status !== 401).length, 0);
  report.exactly(
    'other answers',
    [...tried, ...victimTold].filter((status) => status !== 401 && status !== 429).length,
    0,
  );
  report.note(`${tried.length} guesses under ${forgeries.length} kinds of headers`);
});

function guess(
  url: string,
  localAddress: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/v1/check`,
      {
        method: 'POST',
        localAddress,
        agent: false,
        headers: { ...headers, 'x-api-key': 'wrong', 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    asked.on('error', reject);
    asked.end('{"resource":"GET:/","subject":"ann"}');
  });
}
