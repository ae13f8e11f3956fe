// What keeps the service answering when more is asked of it than it can do. It measures how late the
// event loop is and says whose checks are refused unasked, lowest tier first. It decides nothing about
// limits and does no I/O: time and delay are given to it, so that tests are about its rules alone.

export { EventLoopDelay } from './event-loop-delay.ts';
export { Shedder, type ShedderOptions, type ShedReport, type ShedStart } from './shedder.ts';
