// `npm start`: set up, then run what shows the product.

import { setupForStart } from './setup.mjs';

try {
  await setupForStart();
  await import('../examples/burst/main.mjs');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
