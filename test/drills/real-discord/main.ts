import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createLog } from '../../../src/runtime/log.ts';
import { startPrivateServer } from '../../../src/redis/private-server/private-server.ts';
import { tryFrontpage, verdictOf } from './try-frontpage.ts';

const usage = `npm run try -- <server id> [channel id]

Tries the bot in a real server: posts, votes, recounts, posts a digest, and cleans up.
Use a server for tests, and no bot that is running elsewhere.

DISCORD_TOKEN     the bot's token
DISCORD_API_BASE  another API that speaks like Discord's
TRY_WAIT_SECONDS  how long to wait for your vote; 60 by default`;

const zId = z.string().regex(/^\d{15,20}$/);
const asked = z
  .tuple([zId, zId.optional()])
  .safeParse([process.argv[2], ...process.argv.slice(3)].slice(0, 2));
try {
  process.loadEnvFile();
} catch {
  // There is no .env.
}
const env = z
  .object({
    DISCORD_TOKEN: z.string().min(1),
    DISCORD_API_BASE: z.url().default('https://discord.com/api'),
    TRY_WAIT_SECONDS: z.coerce.number().min(0).default(60),
  })
  .safeParse(process.env);
if (!asked.success || !env.success) {
  console.error(usage);
  process.exit(64);
}

const dataDir = await mkdtemp(join(tmpdir(), 'frontpage-try-'));
const log = createLog('error');
const server = await startPrivateServer({ dataDir, log, appendFsync: 'no' });
const [guild, channel] = asked.data;
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
const outcome = await tryFrontpage({
  token: env.data.DISCORD_TOKEN,
  apiBase: env.data.DISCORD_API_BASE,
  guild,
  channel,
  redisUrl: server.url,
  waitMs: env.data.TRY_WAIT_SECONDS * 1000,
  say: (line) => console.log(line),
  signal: interrupted.signal,
});
await server.stop();
await rm(dataDir, { recursive: true });
console.log(verdictOf(outcome));
// A script can tell all three apart.
process.exitCode = !outcome.isWell ? 1 : outcome.notTried.length > 0 ? 75 : 0;
