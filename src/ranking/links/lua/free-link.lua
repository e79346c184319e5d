-- Allows a link to be posted again while its article stays.
--
-- KEYS[1]  links    hash  digest of the canonical link -> article
-- ARGV[1]  digest   of the canonical link
-- ARGV[2]  article  the article that had it
-- Returns {'freed'}
--         {'unchanged'}  the link belongs to another article or to none
local links = KEYS[1]
local digest, article = ARGV[1], ARGV[2]

if redis.call('HGET', links, digest) ~= article then return {'unchanged'} end
redis.call('HDEL', links, digest)
return {'freed'}
