/** One value that differs, by its path in the object. */
export type Difference = {
  readonly path: string;
  /** Undefined where it was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** Which object it is stands above; the others change with every change. */
const noise = new Set(['id', 'version', 'updated_at', 'created_at']);

/** What differs between two objects, value by value, in the order they have them. */
export function differences(before: unknown, after: unknown): Difference[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths]
    .filter((path) => !noise.has(path) && old.get(path) !== now.get(path))
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }));
}

function leavesOf(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  collect(value, '', leaves);
  return leaves;
}

function collect(value: unknown, path: string, into: Map<string, string>): void {
  const isNode = typeof value === 'object' && value !== null;
  const inner = isNode ? Object.entries(value) : [];
  if (inner.length === 0) {
    if (path !== '') into.set(path, textOf(value));
    return;
  }
  const isList = Array.isArray(value);
  for (const [name, item] of inner) {
    // Items of lists go by their names, as people know them, where they have any.
    const label = isList ? `[${nameOf(item) ?? name}]` : path === '' ? name : `.${name}`;
    collect(item, `${path}${label}`, into);
  }
}

function nameOf(item: unknown): string | undefined {
  const { name } = (typeof item === 'object' && item !== null ? item : {}) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function textOf(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
