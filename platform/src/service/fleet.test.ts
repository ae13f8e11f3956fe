import { beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../store/board.ts';
import { FleetWatch } from './fleet.ts';

/** One board for all, as in Redis; a node that is cut off hears nothing. */
class SharedBoard implements Board {
  readonly said = new Map<string, Map<string, string>>();
  isAway = false;

  async post(topic: string, text: string): Promise<void> {
    if (this.isAway) throw new Error('away');
    const [node = ''] = text.split(' ');
    const known = this.said.get(topic) ?? new Map<string, string>();
    known.set(node, text);
    this.said.set(topic, known);
  }

  async read(topic: string): Promise<readonly string[]> {
    if (this.isAway) throw new Error('away');
    return [...(this.said.get(topic)?.values() ?? [])];
  }
}

let nowMs = 0;
let board: SharedBoard;

beforeEach(() => {
  nowMs = 5000;
  board = new SharedBoard();
});

const nodeOf = () => new FleetWatch(board, () => nowMs);

async function beat(nodes: readonly FleetWatch[], seconds = 2): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const node of nodes) await node.beat();
    nowMs += 1000;
  }
}

describe('a fleet', () => {
  it('is one at first', () => {
    expect(nodeOf().fleet).toEqual({ nodes: 1, rank: 0 });
  });

  it('is counted by every node alike, and each has a place of its own', async () => {
    const nodes = [nodeOf(), nodeOf(), nodeOf()];
    await beat(nodes);
    expect(nodes.map(({ fleet }) => fleet.nodes)).toEqual([3, 3, 3]);
    expect(nodes.map(({ fleet }) => fleet.rank).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  });

  it('is as large as it lately was: who is cut off with us is not gone', async () => {
    const nodes = [nodeOf(), nodeOf(), nodeOf()];
    await beat(nodes);
    const [first] = nodes as [FleetWatch];
    await beat([first], 30);
    expect(first.fleet.nodes).toBe(3);
    board.isAway = true;
    await expect(first.beat()).rejects.toThrow('away');
    expect(first.fleet.nodes).toBe(3);
    board.isAway = false;
    nowMs += 600_000;
    await beat([first], 12);
    expect(first.fleet).toEqual({ nodes: 1, rank: 0 });
  });

  it('does not count who only left a word behind', async () => {
    const gone = nodeOf();
    await gone.beat();
    nowMs += 700_000;
    const node = nodeOf();
    await beat([node], 15);
    nowMs += 600_000;
    await beat([node], 1);
    expect(node.fleet.nodes).toBe(1);
  });

  it('grows at once', async () => {
    const first = nodeOf();
    await beat([first]);
    await beat([first, nodeOf()]);
    expect(first.fleet.nodes).toBe(2);
  });
});
