import type { Redis } from 'ioredis';

/**
 * What is sent to a server within one turn of the event loop goes in one write, as checks of many
 * tenants do: each write costs this process a system call and wakes the server.
 */
export function writeOnceATurn(redis: Redis): void {
  redis.on('connect', () => holdWrites(redis.stream));
}

function holdWrites(stream: Redis['stream']): void {
  const write = stream.write.bind(stream) as (...call: unknown[]) => boolean;
  const release = () => {
    isHeld = false;
    stream.uncork();
  };
  let isHeld = false;
  stream.write = (...call: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(release);
    }
    return write(...call);
  };
}
