// The same calls for every algorithm: a trickle, a burst on either side of a window's edge, a stream.

import { allowedMark, refusedMark } from './paint.mjs';

const columns = 56;
const columnUs = 125_000;
export const seconds = (columns * columnUs) / 1_000_000;
const edgeColumn = 24;

/** One second into a window of four, so that the edge lies in the middle of the burst. */
export const startUs = Date.UTC(2026, 0, 15, 12, 0, 1) * 1000;

/** @param {number} column */
function isCalled(column) {
  if (column < 12) return column % 4 === 0;
  return column < 36 || column % 2 === 0;
}

export function drawRuler() {
  return Array.from({ length: columns }, (_, column) => {
    if (column === edgeColumn) return '|';
    return column % 8 === 0 ? "'" : ' ';
  })
    .join('')
    .trimEnd();
}

/**
 * @typedef {object} Played
 * @property {string} drawing
 * @property {number} calls
 * @property {number} allowed
 * @property {import('sluice').Decision} last
 */

/**
 * @param {import('sluice').Limiter} limiter
 * @param {{ readonly moveTo: (us: number) => void, readonly callMs: number }} options
 * @returns {Promise<Played>}
 */
export async function play(limiter, { moveTo, callMs }) {
  /** @type {{ readonly ticket: string, readonly endsAtUs: number }[]} */
  const open = [];
  let drawing = '';
  let calls = 0;
  let allowed = 0;
  let last = await limiter.check({ resource: 'GET:/orders', subject: 'user:42', cost: 0 });
  for (let column = 0; column < columns; column += 1) {
    const nowUs = startUs + column * columnUs;
    moveTo(nowUs);
    while (open[0] !== undefined && open[0].endsAtUs <= nowUs) {
      await limiter.release(/** @type {{ ticket: string }} */ (open.shift()).ticket);
    }
    if (!isCalled(column)) {
      drawing += ' ';
      continue;
    }
    last = await limiter.check({ resource: 'GET:/orders', subject: 'user:42' });
    calls += 1;
    if (last.allowed) allowed += 1;
    if (last.ticket !== null) open.push({ ticket: last.ticket, endsAtUs: nowUs + callMs * 1000 });
    drawing += last.allowed ? allowedMark : refusedMark;
  }
  return { drawing: drawing.trimEnd(), calls, allowed, last };
}
