import type { Choice } from './controls.tsx';

export const modeChoices: readonly Choice[] = [
  { value: '', label: 'Inherited' },
  { value: 'enforce', label: 'Enforce: refuse' },
  { value: 'warn', label: 'Warn: let through, and say so' },
  { value: 'shadow', label: 'Shadow: only watch' },
  { value: 'off', label: 'Off' },
];

export const missingChoices: readonly Choice[] = [
  { value: '', label: 'One shared counter (default)' },
  { value: 'skip', label: 'The limit does not apply' },
  { value: 'reject', label: 'The check is an error' },
];

export const failureChoices: readonly Choice[] = [
  { value: '', label: 'Open: let through (default)' },
  { value: 'closed', label: 'Closed: refuse' },
  { value: 'local', label: 'Local: each node counts by itself' },
];

export const guardedFailureChoices: readonly Choice[] = [
  { value: '', label: 'Closed: refuse (default of a security limit)' },
  { value: 'open', label: 'Open: let through' },
  { value: 'local', label: 'Local: each node counts by itself' },
];

export const alignChoices: readonly Choice[] = [
  { value: '', label: 'With the clock (default)' },
  { value: 'first_request', label: 'With the first request' },
];

export const curveChoices: readonly Choice[] = [
  { value: '', label: 'Gentle at first (default)' },
  { value: 'linear', label: 'A straight line' },
];
