import type { Sandbox } from './server.ts';

/**
 * What no message tells, and so no rebuild can find, an admin has set up by command: a digest at
 * nine in the morning, here, in the channel that a seeded past has for it.
 */
export async function setUpDigest(sandbox: Sandbox): Promise<void> {
  const { admin, world } = sandbox;
  const place = [...world.channels.values()].find(({ name }) => name === 'front-page')?.id;
  if (place === undefined) return;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const values = { channel: place, time: '09:00', timezone: timeZone };
  const { kind, message } = await sandbox.as(admin).command(place, 'digest set', values);
  if (kind === 'failed') throw new Error('The bot did not answer when the digest was set up.');
  // Only its reader saw it, and who comes now has not read it.
  if (message !== undefined) sandbox.as(admin).dismiss(place, message.id);
}
