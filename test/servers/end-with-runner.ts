// Loaded for every test file. When the runner is gone, a test that still waits for something would
// wait for ever: the channel to the runner closes, and that is the sign to leave.

function leaveWithRunner(): void {
  process.exit(1);
}

// Files share a process, and each may load this anew: once is enough.
const isKnown = process.listeners('disconnect').some(({ name }) => name === leaveWithRunner.name);
if (!isKnown) process.on('disconnect', leaveWithRunner);
