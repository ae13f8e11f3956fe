// Loaded into every test process. When the runner is gone, a test that still waits for something
// would wait for ever: the channel to the runner closes, and that is the sign to leave.

process.once('disconnect', () => process.exit(1));
