/** What a server says it is. */
export type ServerVersion = {
  readonly product: 'Redis' | 'Valkey';
  readonly text: string;
  readonly numbers: readonly [major: number, minor: number, patch: number];
};

/**
 * Of each line of versions the first without the holes of the script engine that were closed last
 * (CVE-2025-49844, CVE-2025-46817, CVE-2025-46818). A line that is not here never got the repair.
 */
const repaired = {
  Redis: ['7.2.11', '7.4.6', '8.0.4', '8.2.2'],
  Valkey: ['7.2.11', '8.0.6', '8.1.4'],
} as const;

const oldestMajor = 7;

export function versionIn(info: ReadonlyMap<string, string>): ServerVersion | null {
  const valkey = info.get('valkey_version');
  const text = valkey ?? info.get('redis_version');
  const numbers = text === undefined ? null : numbersOf(text);
  if (text === undefined || numbers === null) return null;
  return { product: valkey === undefined ? 'Redis' : 'Valkey', text, numbers };
}

/** Our scripts begin with `#!lua`, which nobody before knew. */
export function isTooOld({ numbers: [major] }: ServerVersion): boolean {
  return major < oldestMajor;
}

export function hasKnownHoles({ product, numbers }: ServerVersion): boolean {
  const lines = repaired[product].map(numbersOf).filter((line) => line !== null);
  const own = lines.find(([major, minor]) => major === numbers[0] && minor === numbers[1]);
  if (own) return numbers[2] < own[2];
  return lines.some(([major, minor]) => inOrder(numbers, [major, minor, 0]) < 0);
}

export function repairedVersions({ product }: ServerVersion): string {
  return repaired[product].join(', ');
}

function numbersOf(text: string): ServerVersion['numbers'] | null {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
}

function inOrder(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
