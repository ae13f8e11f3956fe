import { fileURLToPath } from 'node:url';
import { buildAll } from '../../scripts/build.mjs';

const mainPath = fileURLToPath(new URL('../../platform/dist/src/main.js', import.meta.url));

/**
 * Built once for all nodes that tests start: from source, each would translate itself anew. Tests
 * that start none can do without, so what does not compile fails the others only.
 */
export function buildProgram(): string | null {
  try {
    buildAll();
    return mainPath;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return null;
  }
}
