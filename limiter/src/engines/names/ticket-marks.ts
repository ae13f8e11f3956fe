import { timingSafeEqual } from 'node:crypto';
import { joined } from '../../core/limit.ts';
import type { KeyedHash } from './keyed-hash.ts';

const markLength = 11;

/**
 * What a ticket ends in. It tells a ticket that was given out, and is over, from one that never was:
 * nobody without the secret can make one up, nor use another tenant's.
 */
export class TicketMarks {
  readonly #hash: KeyedHash;

  constructor(hash: KeyedHash) {
    this.#hash = hash;
  }

  mark(tenantId: string, text: string): string {
    return `${text}.${this.#of(tenantId, text)}`;
  }

  /** The text that was marked for this tenant, or null. */
  textIn(tenantId: string, marked: string): string | null {
    const at = marked.length - markLength - 1;
    if (at < 1 || marked[at] !== '.') return null;
    const text = marked.slice(0, at);
    const given = Buffer.from(marked.slice(at + 1));
    const expected = Buffer.from(this.#of(tenantId, text));
    return given.length === expected.length && timingSafeEqual(given, expected) ? text : null;
  }

  #of(tenantId: string, text: string): string {
    return this.#hash.fresh(`k${joined([tenantId, text])}`).slice(0, markLength);
  }
}
