import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildLimiter } from '../../scripts/build.mjs';
import { createTemporaryFolder, removeFolder } from '../servers/temporary-folder.ts';

const run = promisify(execFile);
const rootPath = fileURLToPath(new URL('../..', import.meta.url));

/** What is linked in beside the library, for who asks for it: as a reader's project would have it. */
const peers = [
  '@hono',
  '@koa',
  '@nestjs',
  '@types',
  'express',
  'fastify',
  'hono',
  'ioredis',
].concat([
  'koa',
  'reflect-metadata',
  'rxjs',
  'undici-types',
  'find-my-way',
  'pino',
  'light-my-request',
]);

/** The library as npm would deliver it: packed, and installed without a network in an empty project. */
export class Installed {
  readonly folder: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly manifest: Manifest;

  private constructor(folder: string, tarball: Uint8Array<ArrayBuffer>, manifest: Manifest) {
    this.folder = folder;
    this.tarball = tarball;
    this.manifest = manifest;
  }

  static async make(): Promise<Installed> {
    buildLimiter();
    const folder = await createTemporaryFolder('package');
    await writeFile(join(folder, 'package.json'), '{ "name": "reader", "private": true }');
    const packed = await npm(join(rootPath, 'limiter'), 'pack', '--pack-destination', folder);
    const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '');
    await npm(folder, 'install', '--offline', '--no-package-lock', tarball);
    const manifest = await readFile(join(folder, 'node_modules/sluice/package.json'), 'utf8');
    return new Installed(folder, new Uint8Array(await readFile(tarball)), JSON.parse(manifest));
  }

  /** Every name that may be imported. */
  get entries(): string[] {
    return Object.keys(this.manifest.exports)
      .filter((name) => name !== './package.json')
      .map((name) => join('sluice', name));
  }

  async linkPeers(): Promise<void> {
    for (const name of peers) {
      const link = join(this.folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(rootPath, 'node_modules', name), link);
    }
  }

  async write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  /** Plain Node in the project, without any of our settings. What it prints. */
  async node(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], NODE_ENV: 'production' };
    const { stdout, stderr } = await run(process.execPath, [...args], { cwd: this.folder, env });
    return stdout + stderr;
  }

  remove(): Promise<void> {
    return removeFolder(this.folder);
  }
}

type Manifest = {
  readonly dependencies?: object;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly typesVersions: Readonly<Record<string, object>>;
};

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--silent', '--no-update-notifier'], { cwd });
  return stdout;
}
