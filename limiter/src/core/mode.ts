import type { Mode } from './limit.ts';
import { oneOf } from './parse.ts';

/** Every word for a mode that people write, and what it means. */
const modes = {
  enforce: 'enforce',
  on: 'enforce',
  warn: 'warn',
  shadow: 'shadow',
  monitor: 'shadow',
  off: 'off',
} as const satisfies Record<string, Mode>;

const words = Object.keys(modes) as (keyof typeof modes)[];

export function parseMode(field: string, value: unknown): Mode {
  return modes[oneOf(field, value, words)];
}
