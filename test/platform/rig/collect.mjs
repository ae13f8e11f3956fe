// Loaded into a node before it starts, with `--expose-gc`: on SIGUSR2 it collects all garbage, and
// says so when it is done.

let collections = 0;
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  collections += 1;
  process.stderr.write(`collected ${collections}\n`);
});
