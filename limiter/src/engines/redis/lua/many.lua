-- Calls of several tenants one after another, each as if it came alone: `one` is the script for one
-- of them. What fails in one is that one's answer.
--
-- KEYS   the keys of the first call, then of the second and so on
-- ARGV   1  a list: of each call how many keys it has, how many arguments, and with epoch its epoch,
--           which is not among those. 0 arguments: those of the call before it
--        +  the arguments of the first call, then of the second and so on
-- Reply  the reply of each call, or an error in its place

local all_keys, all_arguments, list = KEYS, ARGV, cjson.decode(ARGV[1])
local replies, key, argument = {}, 0, 1
local step = epoch_check and 3 or 2
for at = 1, #list, step do
  local key_end, count = key + list[at], list[at + 1]
  KEYS = { unpack(all_keys, key + 1, key_end) }
  key = key_end
  if count > 0 then
    local from, to = argument + 1, argument + count
    if epoch_check then
      ARGV = { all_arguments[from], false, unpack(all_arguments, from + 1, to) }
    else
      ARGV = { unpack(all_arguments, from, to) }
    end
    argument = to
  end
  if epoch_check then ARGV[2] = list[at + 2] end
  local is_done, reply = pcall(one)
  -- A command's error comes as its text, or as a table with it; what we do wrong ourselves has no code.
  if not is_done and type(reply) ~= 'table' then
    reply = { err = string.match(reply, '^%u+ ') and reply or 'ERR ' .. reply }
  end
  replies[#replies + 1] = reply
end
return replies
