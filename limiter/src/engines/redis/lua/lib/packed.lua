-- The numbers of a reply as one text, for clients that read bytes: Redis would spell each of them.

local reply_packed = cmsgpack.pack
