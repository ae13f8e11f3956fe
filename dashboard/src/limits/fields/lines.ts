import { readNumber, textOf } from './bind.ts';

/** Lists and tables as people write them: one thing in a line. */

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function showList(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join('\n') : textOf(value);
}

export function readList(text: string): readonly string[] | undefined {
  const lines = linesOf(text);
  return lines.length === 0 ? undefined : lines;
}

type Pairs = Readonly<Record<string, unknown>>;

/** `name = value`, one in a line. */
export function showPairs(value: unknown, show: (one: unknown) => string = textOf): string {
  if (typeof value !== 'object' || value === null) return textOf(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} = ${show(one)}`)
    .join('\n');
}

export function readPairs(text: string, read: (one: string) => unknown): Pairs | undefined {
  const pairs = linesOf(text).map((line) => {
    const [name = '', ...rest] = line.split('=');
    return [name.trim(), read(rest.join('=').trim())] as const;
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** `feature = beta-search, beta-export`: attributes with the values that are meant. */
export function showWhen(value: unknown): string {
  return showPairs(value, (values) =>
    Array.isArray(values) ? values.map(textOf).join(', ') : textOf(values),
  ).replaceAll(/^attributes\./gm, '');
}

export function readWhen(text: string): Pairs | undefined {
  const pairs = readPairs(text, readWords);
  if (!pairs) return undefined;
  return Object.fromEntries(Object.entries(pairs).map(([name, of]) => [`attributes.${name}`, of]));
}

function readWords(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** `elements = 50`: what a call costs in further units. */
export function readCosts(text: string): Pairs | undefined {
  return readPairs(text, (cost) => readNumber(cost) ?? '');
}

export function readAttributes(text: string): Pairs | undefined {
  return readPairs(text, (value) => value);
}
