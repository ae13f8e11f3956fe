import type { Redis } from 'ioredis';

/**
 * So much is enough for the server to begin with: a list of fifty checks of one limit is a little
 * more, sixteen of many tenants mostly a little less. Were lists held back, server and process would
 * wait for each other.
 */
const enoughBytes = 3072;

/**
 * What is sent to a server within one turn of the event loop goes in few writes, as checks of many
 * tenants do: each write costs this process a system call and wakes the server.
 */
export function writeTogether(redis: Redis): void {
  redis.on('connect', () => holdWrites(redis.stream));
}

function holdWrites(stream: Redis['stream']): void {
  const write = stream.write.bind(stream) as (...call: unknown[]) => boolean;
  let isHeld = false;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    stream.uncork();
  };
  stream.write = (...call: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(release);
    }
    const hasRoom = write(...call);
    if (stream.writableLength >= enoughBytes) release();
    return hasRoom;
  };
}
