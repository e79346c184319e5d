import type { Sandbox } from '../sandbox.ts';

const HOUR_MS = 3_600_000;

/**
 * What no message tells, and so no rebuild can find, an admin has set up by command: a digest in
 * the channel that a seeded past has for it, at the next full hour: it holds what the past holds.
 */
export async function setUpDigest(sandbox: Sandbox): Promise<void> {
  const { admin, world } = sandbox;
  const place = [...world.channels.values()].find(({ name }) => name === 'front-page')?.id;
  if (place === undefined) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const soon = new Date(world.clock.now() + HOUR_MS);
  const time = `${String(soon.getHours()).padStart(2, '0')}:00`;
  const values = { channel: place, time, timezone: timeZone };
  const { kind, message } = await sandbox.as(admin).command(place, 'digest set', values);
  if (kind === 'failed') throw new Error('The bot did not answer when the digest was set up.');
  // Only its reader saw it, and who comes now has not read it.
  if (message !== undefined) sandbox.as(admin).dismiss(place, message.id);
}
