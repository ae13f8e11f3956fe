// `npm start`: set up, then serve everything on what is built in. Arguments go to `sluice serve`.

import { setupForStart } from './setup.mjs';

try {
  await setupForStart();
  process.argv.splice(2, 0, 'serve');
  await import(new URL('../platform/dist/src/main.js', import.meta.url).href);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
