import { useEffect, useState } from 'react';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const calmMs = 250;

/** Now, frame by frame while there is something to see; a few times a second for who wants it calm. */
export function useFrames(isMoving: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isMoving) return;
    if (calm.matches) {
      const timer = setInterval(() => setNowMs(Date.now()), calmMs);
      return () => clearInterval(timer);
    }
    let frame = requestAnimationFrame(tick);
    function tick() {
      setNowMs(Date.now());
      frame = requestAnimationFrame(tick);
    }
    return () => cancelAnimationFrame(frame);
  }, [isMoving]);
  return nowMs;
}
