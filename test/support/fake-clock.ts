import { luaFiles, type LuaSource } from '../../limiter/src/engines/redis/script.ts';
import type { RedisClient } from '../../limiter/src/engines/redis/client.ts';

/** A time of day that tests move by hand; begins in the year 2026. */
export class FakeClock {
  nowUs = Date.UTC(2026, 0, 15, 12) * 1000;

  advanceMs(ms: number): void {
    this.nowUs += ms * 1000;
  }

  advanceUs(us: number): void {
    this.nowUs += us;
  }

  readonly read = (): number => this.nowUs;
}

/**
 * The clock that test scripts are linked with instead of the server's: the last argument. Keys
 * outlive any test, for what a test moves by hand must not run out by itself.
 */
const clockLua = `
local function clock_now()
  return tonumber(ARGV[#ARGV])
end

local function clock_ttl_ms()
  return 86400000
end
`;

export const luaWithFakeClock: LuaSource = (name) =>
  name === 'lib/clock' ? clockLua : luaFiles(name);

/** Adds the time to every call, where the scripts above look for it. */
export function tellingTime(client: RedisClient, clock: FakeClock): RedisClient {
  const withTime = (args: readonly string[]) => [...args, String(clock.nowUs)];
  return {
    cluster: client.cluster ?? false,
    evalsha: (sha, keys, args) => client.evalsha(sha, keys, withTime(args)),
    eval: (source, keys, args) => client.eval(source, keys, withTime(args)),
  };
}
