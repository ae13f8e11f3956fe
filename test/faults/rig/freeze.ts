import { setTimeout as sleep } from 'node:timers/promises';

/** Stops a process where it stands: its sockets stay open and nothing answers. */
export async function frozenFor(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** Freezes it for a part of every period, until stopped. */
export function freezing(
  pid: number,
  { forMs, everyMs }: { readonly forMs: number; readonly everyMs: number },
): { stop(): Promise<void> } {
  const over = new AbortController();
  const work = (async () => {
    while (!over.signal.aborted) {
      await frozenFor(pid, forMs);
      await sleep(everyMs - forMs);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await work;
    },
  };
}
