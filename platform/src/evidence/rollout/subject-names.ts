import { createHmac } from 'node:crypto';

/** Points lie below this; who follows all subjects follows those below it. */
export const pointEnd = 2 ** 32;

const bytesMax = 1024;
const keptLength = 200;

/** Subjects as they are stored and sampled: the same on every node that has the secret. */
export class SubjectNames {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** What the database can hold, and index: callers choose subjects. */
  stored(subject: string): string {
    const text = subject.toWellFormed().replaceAll('\0', '\uFFFD');
    if (Buffer.byteLength(text) <= bytesMax) return text;
    return `${text.slice(0, keptLength).toWellFormed()}… ${this.#hash('long', subject).toString('hex', 0, 16)}`;
  }

  /** From 0 to below 2^32, as if by lot: who is in a sample is so on every node and in every hour. */
  pointOf(tenantId: string, subject: string): number {
    return this.#hash(`point ${tenantId}`, subject).readUInt32BE(0);
  }

  /** Tells nobody whom it stands for. */
  hashOf(tenantId: string, subject: string): string {
    return this.#hash(`erased ${tenantId}`, subject).toString('base64url', 0, 16);
  }

  #hash(purpose: string, subject: string): Buffer {
    return createHmac('sha256', this.#secret).update(`rollout ${purpose} ${subject}`).digest();
  }
}
