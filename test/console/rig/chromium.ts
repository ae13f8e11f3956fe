import chromiumPackage from '@sparticuz/chromium';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserServer } from 'playwright-core';
import { findBrowser, needsOwnBrowser } from '../../../scripts/browser.mjs';
import { forgetProcess, watchProcess } from '../../../scripts/watch-processes.mjs';

const rootPath = fileURLToPath(new URL('../../..', import.meta.url));
const cachePath = join(rootPath, 'node_modules/.cache/sluice');

/**
 * Started with arguments of our own: those of the package switch off what guards a page, and a
 * content-security policy could not be seen to hold.
 */
const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'];

/** One browser, which all test files connect to. */
export async function launchChromium(): Promise<BrowserServer> {
  const server = await chromium.launchServer({ executablePath: await browserPath(), args });
  const { pid } = server.process();
  if (pid !== undefined) {
    watchProcess(pid);
    server.process().once('exit', () => forgetProcess(pid));
  }
  return server;
}

async function browserPath(): Promise<string> {
  if (!needsOwnBrowser()) return unpacked();
  const path = findBrowser();
  if (path === undefined) throw new Error('Install Chromium; `npm test` does where it can.');
  return path;
}

/** It comes packed, with npm. Unpacked once for all runs, and under its name only when complete. */
async function unpacked(): Promise<string> {
  const folder = join(cachePath, `chromium-${version()}`);
  if (existsSync(folder)) return join(folder, 'chromium');
  const draft = `${folder}-${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  const { TMPDIR: before } = process.env;
  process.env['TMPDIR'] = draft;
  try {
    await chromiumPackage.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  // Another run may have been quicker.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return join(folder, 'chromium');
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(rootPath, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return manifest.devDependencies['@sparticuz/chromium'] ?? '';
}
