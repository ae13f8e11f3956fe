// The little that the proxy and the stub model share of serving HTTP.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves on this machine only and says where, in a line that whoever started us waits for. */
export async function serve(name: string, port: number, answer: Answer): Promise<void> {
  // What an answer throws nobody expected: it ends the process, and the next one starts clean.
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  console.log(`${name} is listening on http://127.0.0.1:${address.port}`);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}

/** The fields of a body; none of something that is no JSON object. */
export async function readFields(request: IncomingMessage): Promise<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(await text(request));
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
