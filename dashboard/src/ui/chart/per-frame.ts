/**
 * Hands on the last value of each frame. A pointer may report many times between two frames, and
 * nobody sees but the last.
 */
export function perFrame<T>(handOn: (value: T) => void) {
  let frame: number | null = null;
  let last: T;
  const run = () => {
    frame = null;
    handOn(last);
  };
  return {
    put: (value: T): void => {
      last = value;
      frame ??= requestAnimationFrame(run);
    },
    cancel: (): void => {
      if (frame !== null) cancelAnimationFrame(frame);
      frame = null;
    },
  };
}
