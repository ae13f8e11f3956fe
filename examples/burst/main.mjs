// One burst of calls through each of the six algorithms, then all six in one decision.
//
// Everything is decided by the real engine in this process. Only the time is not real: a clock of
// our own moves from call to call, so that seven seconds pass at once and come out alike each time.

import { createLimiter } from 'sluice';
import { allInOne } from './all-in-one.mjs';
import { allowedMark, bold, dim, print, refusedMark } from './paint.mjs';
import { rows } from './rows.mjs';
import { drawRuler, play, seconds, startUs } from './traffic.mjs';

const labelWidth = 21;
const indent = ' '.repeat(labelWidth);

print(`
${bold('One burst, six algorithms')}
The same ${seconds} seconds of calls for each: ${allowedMark} allowed, ${refusedMark} refused.
${dim("A ' marks a second, the | the end of a window of four. The engine is the real one, in this")}
${dim('process; its clock is moved by hand, so that nobody has to wait.')}

${indent}${dim(drawRuler())}`);

for (const { name, numbers, sentence, limit, callMs } of rows) {
  let nowUs = startUs;
  const limiter = createLimiter({ limits: [limit], clock: () => nowUs });
  const moveTo = (/** @type {number} */ us) => (nowUs = us);
  const { drawing, calls, allowed, last } = await play(limiter, { moveTo, callMs });
  const wait = last.allowed ? '' : `, retry after ${inWords(last.retryAfterMs)}`;
  print(`${bold(name.padEnd(labelWidth))}${drawing}
${numbers.padEnd(labelWidth)}${allowed} of ${calls} allowed, ${last.remaining} remaining${wait}
${indent}${dim(sentence)}
`);
  await limiter.close();
}

await allInOne();

print(`${bold('On Redis')}  one more line, exact across processes:
          createLimiter({ redis, limits }), with an ioredis client
${bold('Read on')}   README.md, docs/library.md, docs/algorithms.md, examples/five-lines
`);

/** @param {number | null} ms */
function inWords(ms) {
  if (ms === null) return 'never';
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000 ? `${ms / 1000} s` : `${(ms / 60_000).toFixed(1)} min`;
}
