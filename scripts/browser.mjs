// Which browser the tests of the console drive.

import { existsSync } from 'node:fs';
import { findProgram } from './programs.mjs';

/** The browser inside the npm package is for this kind of machine alone. */
export function needsOwnBrowser() {
  return process.platform !== 'linux' || process.arch !== 'x64';
}

/** @returns {string | undefined} the path of one that is installed here */
export function findBrowser() {
  const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return (
    ['chromium', 'chromium-browser', 'google-chrome'].map(findProgram).find(Boolean) ??
    (existsSync(onMac) ? onMac : undefined)
  );
}
