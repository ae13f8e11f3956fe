import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const nonceLength = 12;
const tagLength = 16;

/**
 * Closes texts that others keep for us: overrides and blocks name people, and what Redis holds must
 * tell of nobody. What was changed, or sealed under another secret, does not open.
 */
export class Seal {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = hash('sha256', secret, 'buffer');
  }

  close(text: string): string {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Throws where it does not open. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const start = nonceLength + tagLength;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceLength));
    decipher.setAuthTag(bytes.subarray(nonceLength, start));
    return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString();
  }
}
