import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChildNode } from '../rig/child-node.ts';
import type { MadeTenant } from '../rig/client.ts';
import { makeStack, type Stack } from '../rig/stacks.ts';

const bodyBytesMax = 65_536;
/** What a node may need for all of them; what they send, or announce, is many times that. */
const growthMbMax = 150;

type Kind = {
  readonly what: string;
  readonly count: number;
  readonly head: string;
  /** Sent again and again, as long as it is taken. */
  readonly more?: string;
  /** How fast: the next when the last is taken, or so much later. */
  readonly everyMs?: number;
  /** What each is told; none are told anything while the test lasts. */
  readonly status?: string;
};

const post = 'POST /v1/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
const kinds: readonly Kind[] = [
  { what: 'that never say anything', count: 500, head: '' },
  {
    what: 'that send headers byte by byte',
    count: 100,
    head: `${post}x-a: `,
    more: 'a',
    everyMs: 50,
  },
  {
    what: 'that send a body byte by byte',
    count: 100,
    head: `${post}content-length: 1000\r\n\r\n`,
    more: ' ',
    everyMs: 50,
  },
  {
    what: 'with a header of a megabyte',
    count: 20,
    head: `${post}x-a: `,
    more: 'a'.repeat(65_536),
    status: '431',
  },
  {
    what: 'that announce a body that is too large',
    count: 20,
    head: `${post}content-length: 1000000000\r\n\r\n`,
    more: ' '.repeat(bodyBytesMax),
    status: '413',
  },
  {
    what: 'with chunks without an end',
    count: 20,
    head: `${post}transfer-encoding: chunked\r\n\r\n`,
    more: `10000\r\n${' '.repeat(bodyBytesMax)}\r\n`,
    status: '413',
  },
];

class BadClient {
  readonly #socket: Socket;
  received = '';
  isOver = false;

  constructor(port: number, { head, more, everyMs }: Kind) {
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.on('data', (chunk) => (this.received += chunk.toString('latin1')));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => (this.isOver = true));
    this.#socket.write(head, 'latin1');
    if (more !== undefined) void this.#goOn(more, everyMs);
  }

  async #goOn(more: string, everyMs: number | undefined): Promise<void> {
    while (!this.#socket.destroyed) {
      await new Promise((taken) => void this.#socket.write(more, 'latin1', taken));
      await sleep(everyMs ?? 1);
    }
  }

  leave(): void {
    this.#socket.destroy();
  }
}

describe('among bad clients of every kind at once', () => {
  let stack: Stack;
  let node: ChildNode;
  let tenant: MadeTenant;
  let clients: Map<Kind, BadClient[]>;
  let before: number;
  const good: number[] = [];

  beforeAll(async () => {
    stack = await makeStack('embedded, memory');
    node = await ChildNode.start({ ...stack.settings, SLUICE_CHECK_LOG: 'none' });
    tenant = await node.client.makeTenant();
    await check(100);
    before = await residentMb();
    clients = new Map(
      kinds.map((kind) => [kind, Array.from({ length: kind.count }, () => openClient(kind))]),
    );
    await check(300);
  });

  afterAll(async () => {
    for (const some of clients.values()) for (const client of some) client.leave();
    await node.end('SIGKILL');
    await stack.remove();
  });

  function openClient(kind: Kind): BadClient {
    return new BadClient(Number(new URL(node.url).port), kind);
  }

  async function check(times: number): Promise<void> {
    for (let at = 0; at < times; at += 1) {
      const { status } = await node.client.check(tenant.key, {
        resource: 'GET:/',
        subject: `${at}`,
      });
      good.push(status);
    }
  }

  async function residentMb(): Promise<number> {
    const { text } = await node.client.get('/metrics');
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20;
  }

  it('a good one is answered', () => {
    expect(new Set(good)).toEqual(new Set([200]));
  });

  it.each(kinds.filter(({ status }) => status !== undefined))(
    'those $what are told $status and let go',
    async (kind) => {
      const told = new Set<string>();
      let some = clients.get(kind) ?? [];
      do {
        const isOver = () => some.every((client) => client.isOver);
        await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
        for (const { received } of some) if (received !== '') told.add(received.slice(9, 12));
        // Who goes on sending may lose the answer to the reset that follows: then another asks.
        some = [openClient(kind)];
        clients.get(kind)?.push(...some);
      } while (told.size === 0);
      expect(told).toEqual(new Set([kind.status]));
    },
  );

  it('memory is bounded', async () => {
    expect((await residentMb()) - before).toBeLessThan(growthMbMax);
  });
});
