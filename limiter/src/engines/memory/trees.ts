import type { Cell } from './cells.ts';

/** Counters by id, then one level for each part: no identity is ever joined into a text. */
type Branch = Map<string | null, Branch | Cell>;

/** One tree for each number of parts: what is a leaf in one can't be a branch in it. */
export type Trees = Branch[];

export type Path = {
  readonly counterId: string;
  readonly parts: readonly (string | null)[];
};

export function findLeaf(trees: Trees, counterId: string, parts: Path['parts']): Cell | undefined {
  let node: Branch | Cell | undefined = trees[parts.length]?.get(counterId);
  for (let at = 0; at < parts.length; at += 1) {
    if (node === undefined) return undefined;
    node = (node as Branch).get(parts[at] as string | null);
  }
  return node as Cell | undefined;
}

/** The last branch of a path: there the last of its parts leads to the leaf. */
export type Leaves = ReadonlyMap<string | null, Cell>;

export function findLeaves(
  trees: Trees,
  counterId: string,
  before: Path['parts'],
): Leaves | undefined {
  let branch = trees[before.length + 1]?.get(counterId) as Branch | undefined;
  for (const part of before) branch = branch?.get(part) as Branch | undefined;
  return branch as Leaves | undefined;
}

export function addLeaf(trees: Trees, { counterId, parts }: Path, cell: Cell): void {
  const path = [counterId, ...parts];
  let branch = (trees[parts.length] ??= new Map());
  for (const part of path.slice(0, -1)) {
    let next = branch.get(part) as Branch | undefined;
    if (!next) branch.set(part, (next = new Map()));
    branch = next;
  }
  branch.set(path.at(-1) as string | null, cell);
}

/** Removes the leaf and every branch that is empty without it. */
export function removeLeaf(trees: Trees, { counterId, parts }: Path): void {
  const tree = trees[parts.length];
  if (tree) prune(tree, [counterId, ...parts], 0);
}

function prune(branch: Branch, path: readonly (string | null)[], depth: number): void {
  const part = path[depth] as string | null;
  if (depth < path.length - 1) {
    const next = branch.get(part) as Branch;
    prune(next, path, depth + 1);
    if (next.size > 0) return;
  }
  branch.delete(part);
}
