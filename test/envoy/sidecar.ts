// Envoy between a caller and a service, asking a node of ours: what the tests through Envoy stand on.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEnvoy } from '../servers/envoy.ts';
import { findFreePort } from '../servers/free-port.ts';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';
import { startNode, type RunningNode, type Settings } from '../platform/rig/node.ts';
import { makeStack } from '../platform/rig/stacks.ts';

export type Ports = {
  readonly admin: number;
  readonly inbound: number;
  readonly service: number;
  readonly sluice: number;
};

export type Reply = {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
};

export type Sidecar = {
  readonly node: RunningNode;
  /** A request of a caller, through Envoy. */
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Envoy's counter of this name. */
  counter(name: string): Promise<number>;
  stop(): Promise<void>;
};

type SidecarParts = {
  /** Rules by the name of their file. */
  readonly rules: Readonly<Record<string, string>>;
  readonly config: (ports: Ports) => object;
  readonly settings?: Settings;
};

export async function startSidecar({ rules, config, settings }: SidecarParts): Promise<Sidecar> {
  const folder = await createTemporaryFolder('rules');
  for (const [name, text] of Object.entries(rules)) await writeFile(join(folder, name), text);
  const stack = await makeStack('embedded, memory');
  const node = await startNode({
    ...stack.settings,
    SLUICE_RLS_CONFIG_DIR: folder,
    SLUICE_RLS_DEADLINE_MS: '5000',
    ...settings,
  });
  const service = await startUpstream();
  const ports = {
    admin: await findFreePort(),
    inbound: await findFreePort(),
    service: (service.address() as AddressInfo).port,
    sluice: node.service.grpcPort as number,
  };
  const envoy = await startEnvoy(config(ports));
  return {
    node,
    ask: (path, headers = {}) => ask(`http://127.0.0.1:${ports.inbound}${path}`, headers),
    counter: (name) => readCounter(`http://127.0.0.1:${ports.admin}/stats`, name),
    stop: async () => {
      await envoy.stop();
      await node.stop();
      service.close();
      await stack.remove();
      await removeFolder(folder);
    },
  };
}

/** Answers with the headers that it was sent, so that a test sees what Envoy passed on. */
async function startUpstream(): Promise<Server> {
  const server = createServer((request, response) => {
    response.end(JSON.stringify(request.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function readCounter(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}?filter=${encodeURIComponent(name)}`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name}: `));
  return line === undefined ? 0 : Number(line.slice(name.length + 2));
}
