/**
 * When the server calls fsync, in Redis's own words: once a second, before each answer, or, for tests,
 * whenever the system likes.
 */
export type AppendFsync = 'everysec' | 'always' | 'no';

/** Beside the data. */
export const SOCKET_NAME = 'redis.sock';

/** For a server that is started in the folder of its data. The version is that of its program. */
export function serverConfig(appendFsync: AppendFsync, version: string): string {
  return `# Written by Frontpage at each start: changes made here are lost.

# One socket that this user alone may open, and no TCP port.
port 0
unixsocket ${SOCKET_NAME}
unixsocketperm 600
timeout 0
databases 1

# The append-only file is the data; snapshots would only repeat it.
dir ./
appendonly yes
appendfsync ${appendFsync}
no-appendfsync-on-rewrite no
aof-use-rdb-preamble yes
# Frontpage repairs a damaged end itself, after it has set a copy aside.
aof-load-truncated no
auto-aof-rewrite-percentage 100
auto-aof-rewrite-min-size 32mb
save ""

# Data is refused rather than thrown away.
maxmemory-policy noeviction
lazyfree-lazy-eviction yes
lazyfree-lazy-expire yes
lazyfree-lazy-server-del yes
lazyfree-lazy-user-del yes
lazyfree-lazy-user-flush yes

# Voters are sets of integers: 8 to 10 bytes a vote up to this many voters.
set-max-intset-entries 32768
# Links are longer than the default of 64 bytes. Redis 6.2 knows this older name only, and later
# ones know both.
hash-max-ziplist-value 2048
# A ranking that is stored as one string is walked at every vote in it: only short ones are.
zset-max-ziplist-entries 64

# Frontpage moves the data to a new folder when this one is deleted.
${version.startsWith('6.') ? '' : 'enable-protected-configs local'}

# In the foreground, on standard output, which is the log file.
daemonize no
loglevel notice
`;
}
