import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { consoleRoutes } from '../../../platform/src/doors/http/console.ts';
import { createServer } from '../../../platform/src/doors/http/server.ts';
import { createTemporaryFolder, removeFolder } from '../../servers/temporary-folder.ts';
import { startServer } from './rig.ts';

const built = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** As it travels, without a client that unpacks it. */
function getRaw(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request(url, { headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { statusCode: status = 0 } = response;
          resolve({ status, headers: response.headers, body: Buffer.concat(parts) });
        });
      })
        .on('error', reject)
        .end();
    },
  );
}

describe('the console', () => {
  it('is the page at /, under a policy that allows its own files only, and asked for each time', async () => {
    const { url } = await startServer();
    const answer = await fetch(`${url}/`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const page = await answer.text();
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=["']/);
    expect(page).not.toMatch(/(?:href|src)="(?:\/|https?:)/);
    const again = await fetch(`${url}/`, {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('has files that are kept for good, packed as the browser takes them', async () => {
    const { url } = await startServer();
    const names = readdirSync(join(built, 'assets'));
    const script = names.find((name) => /^index-.*\.js$/.test(name)) ?? '';
    const path = `${url}/assets/${script}`;
    const plain = await getRaw(path, {});
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    const packed = await getRaw(path, { 'accept-encoding': 'gzip, br;q=0' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const best = await getRaw(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(best.headers['content-encoding']).toBe('br');
    const tags = [plain, packed, best].map(({ headers }) => headers['etag']);
    expect(new Set(tags).size).toBe(3);
  });

  it.each(['nothing.js', '..%2findex.html', '%2e%2e%2fpackage.json', 'sources.sha256'])(
    'has no file %s',
    async (name) => {
      const { url } = await startServer();
      const answer = await fetch(`${url}/assets/${name}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'not_found' });
    },
  );

  it('leaves its place to the reference where it was not built', async () => {
    const folder = await createTemporaryFolder('no-console');
    onTestFinished(() => removeFolder(folder));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets/left-over.js'), '');
    const app = await createServer({ version: '1.2.3' });
    onTestFinished(() => app.close());
    await app.register(consoleRoutes, { basePath: '', folder });
    const page = await app.inject('/');
    expect([page.statusCode, page.headers['location']]).toEqual([302, '/docs']);
    expect((await app.inject('/assets/left-over.js')).statusCode).toBe(404);
  });
});
