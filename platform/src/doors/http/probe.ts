export type DependencyState = 'up' | 'down' | 'memory' | 'embedded';

const rememberMs = 500;

/**
 * Asks within a bounded time, and once for all who want to know: who floods the ready route must not
 * flood what is behind it.
 */
export function createProbe(
  ask: () => Promise<DependencyState> | DependencyState,
  timeoutMs = 1000,
): () => Promise<DependencyState> {
  let answer: Promise<DependencyState> | null = null;
  return () => {
    answer ??= askInTime(ask, timeoutMs).finally(() => {
      setTimeout(() => (answer = null), rememberMs).unref();
    });
    return answer;
  };
}

async function askInTime(
  ask: () => Promise<DependencyState> | DependencyState,
  timeoutMs: number,
): Promise<DependencyState> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<DependencyState>((resolve) => {
    timer = setTimeout(() => resolve('down'), timeoutMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch {
    return 'down';
  } finally {
    clearTimeout(timer);
  }
}
