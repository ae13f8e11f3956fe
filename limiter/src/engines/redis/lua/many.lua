-- Calls of several tenants one after another, each as if it came alone: `one` is the script for one
-- of them, and `brief_decide` a shorter way for what most of them ask. What fails in one is that one's
-- answer. All are answered in one list.
--
-- KEYS   the keys of the first call, then of the second and so on
-- ARGV   1  a list: of each call how many keys it has, how many arguments, and with epoch its epoch,
--           which is not among those. 0 arguments: those of the call before it
--        +  the arguments of the first call, then of the second and so on
-- Reply  of each call how many values it was answered, and those; or -1 and an error

local all_arguments, list, reply = ARGV, cjson.decode(ARGV[1]), company.reply
local at, base, argument, step = 1, 0, 1, epoch_check and 3 or 2
local size = #list

while at <= size do
  local count, is_done, problem = list[at + 1], true, false
  if count > 0 then
    local from, to = argument + 1, argument + count
    if epoch_check then
      ARGV = { all_arguments[from], false, unpack(all_arguments, from + 1, to) }
    else
      ARGV = { unpack(all_arguments, from, to) }
    end
    argument = to
  end
  if count > 0 or brief_form then
    is_done, problem = pcall(brief_decide, list, at, base, company.n)
    at, base, company.n = brief_at, brief_base, brief_n
  end
  if problem ~= nil then
    local start = company.n + 1
    company.base, company.last, company.n = base, base + list[at], start
    base = company.last
    -- No gap before what follows: its length would be anybody's guess.
    reply[start] = 0
    if problem == false then
      if epoch_check then ARGV[2] = list[at + 2] end
      is_done, problem = pcall(one)
    end
    local n = company.n
    if problem then
      if not is_done then
        -- A command's error comes as a table or as its text; what we do wrong ourselves has no code.
        local text = type(problem) == 'table' and problem.err or problem
        problem = { string.match(text, '^%u+ ') and text or 'ERR ' .. text }
      end
      for index = 1, #problem do reply[start + index] = problem[index] end
      n = start + #problem
      -- What it had been answered so far.
      for index = n + 1, #reply do reply[index] = nil end
      company.n = n
    end
    reply[start] = is_done and n - start or -1
    at = at + step
  end
end
return reply_packed and reply_packed(reply) or reply
