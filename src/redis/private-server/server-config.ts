/**
 * When the server calls fsync, in Redis's own words: once a second, before each answer, or, for tests,
 * whenever the system likes.
 */
export type AppendFsync = 'everysec' | 'always' | 'no';

type ServerSettings = {
  /** An absolute path, with all data of the server. */
  folder: string;
  appendFsync: AppendFsync;
  /** Of the program that reads the file. */
  version: string;
};

/** Beside the data, and relative to it in the configuration, since a folder's name may hold spaces. */
export const SOCKET_NAME = 'redis.sock';

export function serverConfig(settings: ServerSettings): string {
  const { folder, appendFsync, version } = settings;
  return `# Written by Frontpage at each start: changes made here are lost.

# One socket that this user alone may open, and no TCP port.
port 0
unixsocket ${SOCKET_NAME}
unixsocketperm 600
timeout 0
databases 1

# The append-only file is the data; snapshots would only repeat it.
dir ${quoted(folder)}
appendonly yes
appendfsync ${appendFsync}
no-appendfsync-on-rewrite no
aof-use-rdb-preamble yes
# Frontpage mends a damaged end itself, after it has set a copy aside.
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
# A ranking that is kept as one string is walked at every vote in it: only short ones are.
zset-max-ziplist-entries 64

# Frontpage moves the data to a new folder when this one is deleted.
${version.startsWith('6.') ? '' : 'enable-protected-configs local'}

# In the foreground, on standard output, which is the log file.
daemonize no
loglevel notice
`;
}

/** Redis reads a value in double quotes with the escapes of C. */
function quoted(value: string): string {
  // oxlint-disable-next-line no-control-regex -- A folder's name may hold anything but a slash.
  const escaped = value.replace(/["\\\x00-\x1f]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}
