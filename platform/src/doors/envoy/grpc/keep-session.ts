import type { ServerHttp2Session } from 'node:http2';

const pingAfterMs = 60_000;
const pingTimeoutMs = 20_000;
const ageGraceMs = 10_000;
/** So that connections that were opened together do not end together. */
const jitterShare = 0.1;

/** Ends a connection that has become old, or whose other side is gone without a word. */
export function keepSession(session: ServerHttp2Session, ageMs: number): { stop(): void } {
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!session.destroyed) work();
    }, ms).unref();
    timers.add(timer);
    return timer;
  };
  const ping = () => {
    const late = after(pingTimeoutMs, () => session.destroy());
    const isSent = session.ping((error) => {
      clearTimeout(late);
      timers.delete(late);
      if (error) session.destroy();
      else if (!session.destroyed) after(pingAfterMs, ping);
    });
    if (!isSent) session.destroy();
  };
  after(pingAfterMs, ping);
  const jitterMs = ageMs * jitterShare * (2 * Math.random() - 1);
  after(Math.min(ageMs + jitterMs, 2 ** 31 - 1), () => {
    session.close();
    after(ageGraceMs, () => session.destroy());
  });
  return {
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
