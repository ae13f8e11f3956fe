import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Certificate = {
  readonly certPath: string;
  readonly keyPath: string;
  read(): Promise<{ readonly cert: Buffer; readonly key: Buffer }>;
};

/** Certificates in a folder: authorities that vouch for themselves, and those they vouch for. */
export class Certificates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  authority(name: string): Promise<Certificate> {
    return this.#make(name, ['-addext', 'basicConstraints=critical,CA:TRUE']);
  }

  signed(name: string, by: Certificate, subjectAltName: string): Promise<Certificate> {
    return this.#make(name, [
      '-CA',
      by.certPath,
      '-CAkey',
      by.keyPath,
      '-addext',
      `subjectAltName=${subjectAltName}`,
      '-addext',
      'basicConstraints=critical,CA:FALSE',
    ]);
  }

  async #make(name: string, more: readonly string[]): Promise<Certificate> {
    const [certPath, keyPath] = [
      join(this.#folder, `${name}.pem`),
      join(this.#folder, `${name}.key`),
    ];
    const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const named = ['-keyout', keyPath, '-out', certPath, '-days', '2', '-subj', `/CN=${name}`];
    await run('openssl', ['req', '-x509', ...options, ...named, ...more]);
    const read = async () => ({ cert: await readFile(certPath), key: await readFile(keyPath) });
    return { certPath, keyPath, read };
  }
}
