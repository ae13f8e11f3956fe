-- Ends penalties.
--
-- KEYS   their marks
-- Reply  how many were in force

local now, ended = clock_now(), 0
for _, key in ipairs(KEYS) do
  local mark = redis.call('GET', key)
  if mark then
    if struct.unpack('>d', mark) > now then ended = ended + 1 end
    redis.call('UNLINK', key)
  end
end
return ended
