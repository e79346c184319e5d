-- Releases a reserved link whose message was not sent.
--
-- KEYS[1]  postings     hash  digest of the link name -> '<interaction> <channel> <reserved at>'
-- ARGV[1]  digest       of the link name
-- ARGV[2]  interaction  snowflake: the interaction that reserved it
-- Returns {'released'}
--         {'unchanged'}  this interaction does not hold it
local postings = KEYS[1]
local digest, interaction = ARGV[1], ARGV[2]

local posting = redis.call('HGET', postings, digest)
if not posting or string.match(posting, '^%d+') ~= interaction then return {'unchanged'} end
redis.call('HDEL', postings, digest)
return {'released'}
