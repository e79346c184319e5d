-- Lets a link be posted again although its article stays.
--
-- KEYS[1]  links    hash  digest of the canonical link -> article
-- ARGV[1]  digest   of the canonical link
-- ARGV[2]  article  the article that had it
-- Returns {'freed'}
--         {'unchanged'}  it is another's, or nobody's
local links = KEYS[1]
local digest, article = ARGV[1], ARGV[2]

if redis.call('HGET', links, digest) ~= article then return {'unchanged'} end
redis.call('HDEL', links, digest)
return {'freed'}
