import type { Sandbox } from '../sandbox.ts';

/** If reading the past takes longer, the page opens anyway and the lists fill meanwhile. */
const WHOLE_WITHIN_MS = 15_000;
const ASK_EVERY_MS = 100;

/** Resolves when the bot is online, has deployed its commands and has ranked all earlier articles. */
export async function botIsReady(sandbox: Sandbox, onOnline = () => {}): Promise<void> {
  const { gateway, world, redis, guildId } = sandbox;
  await sandbox.until(
    () => (gateway.sessions.size > 0 && world.commands.size > 0 ? true : undefined),
    'the bot',
  );
  onOnline();
  if (redis === undefined) return;
  const deadline = performance.now() + WHOLE_WITHIN_MS;
  while (performance.now() < deadline) {
    if (await redis.isWhole(guildId)) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}
