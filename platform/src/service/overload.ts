import type { Config } from '../config.ts';
import { EventLoopDelay, Shedder } from '../overload/index.ts';
import type { Foundation } from './foundation.ts';
import type { Opened } from './opened.ts';

/** Watches this process' event loop, and says in the log when it is too much and when that is over. */
export function watchOverload(
  { log: { logger } }: Pick<Foundation, 'log'>,
  { shedDelayMs }: Pick<Config, 'shedDelayMs'>,
  opened: Opened,
): Shedder {
  const shedder = new Shedder({
    targetMs: shedDelayMs,
    onBegin: ({ delayMs, inFlight }) =>
      logger.warn({
        event: 'overload.began',
        delay_ms: Math.round(delayMs),
        checks_in_flight: inFlight,
      }),
    onEnd: ({ durationMs, shed }) =>
      logger.warn({ event: 'overload.ended', duration_ms: Math.round(durationMs), shed }),
  });
  const delay = new EventLoopDelay({ onDelay: (standingMs) => shedder.delayed(standingMs) });
  delay.start();
  opened.add(async () => delay.stop());
  return shedder;
}
