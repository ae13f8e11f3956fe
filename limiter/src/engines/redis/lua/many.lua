-- Calls of several tenants one after another, each as if it came alone: `one` is the script for one
-- of them. What fails in one is that one's answer.
--
-- KEYS   the keys of the first call, then of the second and so on
-- ARGV   1  a list of numbers: of each call how many keys it has, and how many arguments
--        +  the arguments of the first call, then of the second and so on
-- Reply  the reply of each call, or an error in its place

local all_keys, all_arguments, sizes = KEYS, ARGV, cjson.decode(ARGV[1])
local replies, key, argument = {}, 0, 1
for at = 1, #sizes, 2 do
  local key_end, argument_end = key + sizes[at], argument + sizes[at + 1]
  KEYS = { unpack(all_keys, key + 1, key_end) }
  ARGV = { unpack(all_arguments, argument + 1, argument_end) }
  key, argument = key_end, argument_end
  local is_done, reply = pcall(one)
  -- A command's error comes as its text, or as a table with it; what we do wrong ourselves has no code.
  if not is_done and type(reply) ~= 'table' then
    reply = { err = string.match(reply, '^%u+ ') and reply or 'ERR ' .. reply }
  end
  replies[#replies + 1] = reply
end
return replies
