import { luaFiles, type LuaSource } from '../../limiter/src/engines/redis/script.ts';

/**
 * Behind the script's own clock: the time is the last argument, as in `fake-clock.ts`, and beside
 * every key stands for how long it was last told to be kept, to the millisecond. That is also what
 * is left of it for whoever asks, as if no time had passed: what is really left is of no use to
 * compare. Ten minutes more for all, so that nothing runs out by itself.
 */
const notingLua = `
local ttl_ms_of, server = clock_ttl_ms, redis
clock_now = function() return tonumber(ARGV[#ARGV]) end
clock_ttl_ms = function(until_us, now) return ttl_ms_of(until_us, now) + 600000 end

local redis = {
  call = function(...)
    local command, key, value, how = ...
    local answer = server.call(...)
    if command == 'PSETEX' or command == 'PEXPIRE' then
      server.call('SET', key .. ' kept for', value)
    elseif command == 'SET' and how ~= 'KEEPTTL' then
      server.call('DEL', key .. ' kept for')
    elseif command == 'PTTL' and answer > 0 then
      return tonumber(server.call('GET', key .. ' kept for'))
    end
    return answer
  end,
}
`;

export const luaNotingExpiries: LuaSource = (name) =>
  name === 'lib/clock' ? luaFiles(name) + notingLua : luaFiles(name);
