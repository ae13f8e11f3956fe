// One line per phase, with its duration: what a person watching, or reading a log, wants to know.

/**
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 * @param {(result: Result) => string} describe the outcome in a word or two
 * @returns {Promise<Result>}
 */
export async function runPhase(name, work, describe = () => 'ok') {
  const startMs = performance.now();
  const result = await work();
  const durationS = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${name.padEnd(12)} ${describe(result)} (${durationS} s)`);
  return result;
}
