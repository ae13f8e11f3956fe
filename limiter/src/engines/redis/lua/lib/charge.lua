-- What a check was charged, kept for a refund by its id: "charged_at charged|blob", where `charged`
-- says with a 1 which of the limits in the blob were. A tenant keeps so much for so long and no more;
-- what does not fit is charged all the same, and can't be given back.

local function charge_open(question, at)
  local key, ttl_ms, allowance_key, max, elsewhere =
    string.match(ARGV[at + 1], '^(%d+) (%d+) (%d+) (%d+) (%d*)$')
  local blob = ARGV[at + 2]
  question.keep_charge = function(limits, now, writes)
    local charged = ''
    for _, limit in ipairs(limits) do
      if limit.cost > 0 and not limit.algorithm.slots then
        charged = charged .. (limit.verdict == 0 and '1' or '0')
      end
    end
    charged = charged .. elsewhere
    local allowance = KEYS[tonumber(allowance_key)]
    if not string.find(charged, '1') or allowance_left(allowance, max) < tonumber(ttl_ms) then
      return
    end
    writes[#writes + 1] = function()
      allowance_take(allowance, tonumber(ttl_ms))
      local text = string.format('%.0f %s|%s', now, charged, blob)
      redis.call('PSETEX', KEYS[tonumber(key)], ttl_ms, text)
    end
  end
  return at + 2
end
