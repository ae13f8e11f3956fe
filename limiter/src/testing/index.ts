// `sluice/testing`: for tests of programs that use Sluice. Time is moved by hand, the engine is the
// one of production, and answers of any framework are looked at by the same words.

export { expectAllowed, expectLimited, type AnyResponse, type Expected } from './expect.ts';
export { FakeClock } from './fake-clock.ts';
export { createTestLimiter, type TestLimiter } from './test-limiter.ts';
