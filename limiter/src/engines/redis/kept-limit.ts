import type { AlgorithmName } from '../../core/algorithms/index.ts';

/**
 * A limit in a record: all that any process needs to settle or refund it later. `text` is its
 * argument, with key and cost to be filled in.
 */
export type KeptLimit = {
  /** The counter's name, under the tenant's prefix unless it is global. */
  readonly key: string;
  readonly global: boolean;
  readonly text: string;
  readonly algorithm: AlgorithmName;
  readonly unit: string;
  readonly cost: number;
};

/** The argument of a kept limit, for the counter at this position of KEYS. */
export function keptText({ text }: KeptLimit, use: { key: number; cost: number }): string {
  const [head = '', , , ...numbers] = text.split(' ');
  return [head, use.key, use.cost, ...numbers].join(' ');
}
