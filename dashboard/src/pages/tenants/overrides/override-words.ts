import { count } from '../../../ui/words.ts';
import { numberFields, type NumberField, type Override } from '../objects.ts';

const words: Readonly<Record<NumberField, (value: number) => string>> = {
  bucket_capacity: (value) => `${count(value)} at once`,
  refill_rate_per_sec: (value) => `${value} back per second`,
  limit: count,
  window_seconds: (value) => `in ${count(value)} s`,
  max_concurrent: (value) => `${count(value)} open at once`,
  stale_after_seconds: (value) => `silent for ${count(value)} s`,
};

/** `500 in 60 s`: what stands in the place of the limit's own numbers. */
export function numbersInWords(numbers: Override['numbers']): string {
  const said = numberFields.flatMap((field) => {
    const value = numbers[field];
    return value === undefined ? [] : [words[field](value)];
  });
  return said.join(numbers.bucket_capacity === undefined ? ' ' : ', ');
}

/** `user:42 at POST:/search`: for whom, and for what. */
export function whomInWords({
  subject,
  resource,
  attributes,
}: Pick<Override, 'subject' | 'resource' | 'attributes'>): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  const whom = [...(subject === null ? [] : [subject]), ...pairs].join(', ') || 'everybody';
  return resource === null ? whom : `${whom} at ${resource}`;
}

/** `name=value`, one in a line; null where a line is none. */
export function attributesIn(text: string): Readonly<Record<string, string>> | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const pairs = lines.map((line) => /^([^=\s]+)\s*=\s*(.+)$/.exec(line));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
