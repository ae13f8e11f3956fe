import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawConnection } from '../http/rig.ts';
import { NodeClient } from '../rig/client.ts';
import { startNode, type RunningNode } from '../rig/node.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';

const connectionsMax = 8;

describe('a node with an address for its operators', () => {
  let stack: Stack;
  let node: RunningNode;
  let operators: NodeClient;

  beforeAll(async () => {
    stack = await makeStack('embedded, memory');
    node = await startNode({
      ...stack.settings,
      SLUICE_ADMIN_ADDR: '127.0.0.1:0',
      SLUICE_CONNECTIONS_MAX: String(connectionsMax),
    });
    operators = new NodeClient(node.service.adminUrl, node.service.adminToken);
  });

  afterAll(async () => {
    await node.stop();
    await stack.remove();
  });

  it('serves the admin API there and nowhere else', async () => {
    expect((await operators.admin('GET', 'tenants')).status).toBe(200);
    expect((await node.client.admin('GET', 'tenants')).status).toBe(404);
    const token = { authorization: `Bearer ${node.service.adminToken}` };
    expect((await node.client.get('/v1/admin/live', token)).status).toBe(404);
  });

  it('answers checks where it did, and not there', async () => {
    const { key } = await operators.makeTenant();
    const body = { resource: 'GET:/', subject: 'ann' };
    expect((await node.client.check(key, body)).status).toBe(200);
    expect((await operators.check(key, body)).status).toBe(404);
  });

  it('answers probes, metrics and its reference on both, each with what is served there', async () => {
    for (const client of [node.client, operators]) {
      for (const path of ['/v1/health', '/v1/ready', '/metrics', '/docs']) {
        expect((await client.get(path)).status, path).toBe(200);
      }
    }
    const pathsOf = async (client: NodeClient) =>
      Object.keys(JSON.parse((await client.get('/openapi.json')).text).paths);
    expect(await pathsOf(node.client)).toContain('/v1/check');
    expect(await pathsOf(node.client)).not.toContain('/v1/admin/tenants');
    expect(await pathsOf(operators)).toContain('/v1/admin/tenants');
    expect(await pathsOf(operators)).not.toContain('/v1/check');
  });

  it('answers operators while callers hold all connections that there are', async () => {
    const port = Number(new URL(node.url).port);
    const held: RawConnection[] = [];
    // Those that `fetch` keeps are among them.
    for (let at = 0; at < connectionsMax; at += 1) held.push(await RawConnection.open(port));
    const late = await RawConnection.open(port);
    late.write('GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n');
    await late.ended;
    expect(late.statuses).toEqual([]);
    expect((await operators.get('/v1/health')).status).toBe(200);
    expect((await operators.admin('GET', 'tenants')).status).toBe(200);
  });
});
