-- The answer to a question under an idempotency key: whose question it was, its id, the layout of
-- the limits and the raw numbers that were answered.

local function records_pack(fingerprint, id, layout, now, readings)
  return cmsgpack.pack({ fingerprint, id, layout, now, readings })
end

-- Appends the first answer to the reply, or says that the question was another.
local function records_replay(reply, record, fingerprint, layout)
  local first = cmsgpack.unpack(record)
  if first[1] ~= fingerprint then
    reply[#reply + 1] = 3
    return
  end
  local readings = first[5]
  reply[#reply + 1] = 2
  reply[#reply + 1] = first[2]
  reply[#reply + 1] = first[3] == layout and 1 or 0
  reply[#reply + 1] = first[4]
  reply[#reply + 1] = #readings
  for _, number in ipairs(readings) do reply[#reply + 1] = number end
end
