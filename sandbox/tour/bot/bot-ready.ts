import type { Sandbox } from '../sandbox.ts';

const ONLINE_WITHIN_MS = 60_000;
/** A past that takes longer is found while one already looks at it. */
const WHOLE_WITHIN_MS = 15_000;
const ASK_EVERY_MS = 100;

/** Online, with its commands there to be chosen, and with its ranking of all that was there before. */
export async function botIsReady(sandbox: Sandbox, onOnline = () => {}): Promise<void> {
  const { gateway, world, redis, guildId } = sandbox;
  await sandbox.until(
    () => (gateway.sessions.size > 0 && world.commands.size > 0 ? true : undefined),
    'the bot',
    ONLINE_WITHIN_MS,
  );
  onOnline();
  if (redis === undefined) return;
  const deadline = performance.now() + WHOLE_WITHIN_MS;
  while (performance.now() < deadline) {
    if (await redis.isWhole(guildId)) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}
