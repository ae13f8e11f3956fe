import { useEffect, useState } from 'react';
import { listen, type ListenState } from './listen.ts';
import { withSecond, type LiveSecond } from './second.ts';

/** Five minutes. */
export const secondsKept = 300;
/** What the service still knows of the past is asked for. */
const pastSeconds = 120;

export type Live = {
  readonly seconds: readonly LiveSecond[];
  readonly state: ListenState;
};

/** Second by second, while the page is open. */
export function useLive(): Live {
  const [seconds, setSeconds] = useState<readonly LiveSecond[]>([]);
  const [state, setState] = useState<ListenState>({ kind: 'connecting' });
  useEffect(() => {
    const controller = new AbortController();
    void listen({
      path: 'v1/admin/live',
      after: String(Math.floor(Date.now() / 1000) - pastSeconds),
      onEvent: ({ name, data }) => {
        if (name !== 'second') return;
        const told = JSON.parse(data) as LiveSecond;
        setSeconds((before) => withSecond(before, told, secondsKept));
      },
      onState: setState,
      signal: controller.signal,
    });
    return () => controller.abort();
  }, []);
  return { seconds, state };
}
