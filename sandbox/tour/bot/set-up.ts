import { isEdition } from '../article/shown.ts';
import type { Sandbox } from '../sandbox.ts';

/**
 * Sets up as the admin what no message tells: a digest and the board in #front-page, and the page on the web. An
 * extra edition shows the last day at once; the next one is due tomorrow, at the hour that began last, so that it
 * repeats nothing.
 */
export async function setUp(sandbox: Sandbox, { hasWeb = false } = {}): Promise<void> {
  const { world } = sandbox;
  const place = sandbox.channels.frontPage.id;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const time = `${String(new Date(world.clock.now()).getHours()).padStart(2, '0')}:00`;
  const values = { channel: place, time, timezone: timeZone };
  await asAdmin(sandbox, place, 'digest set', values);
  // Set up anew after an interruption, it has been posted.
  const { messages } = sandbox.channels.frontPage;
  const isPosted = [...messages.values()].some((one) => isEdition(one, world.application.botId));
  if (!isPosted) await asAdmin(sandbox, place, 'digest now');
  await putBoard(sandbox, place);
  await nominateInRust(sandbox, place);
  if (hasWeb) await openWebPage(sandbox, place);
}

/** Below the digest, the ten best as they are now. */
async function putBoard(sandbox: Sandbox, place: string): Promise<void> {
  const admin = sandbox.as(sandbox.admin);
  const door = await openDoor(sandbox, place, POSTS);
  const { message } = await admin.press(place, door, 'frontpage|board|open');
  admin.dismiss(place, door);
  const board = message?.id ?? '';
  await admin.choose(place, board, 'frontpage|board|channel', [place]);
  admin.dismiss(place, board);
}

/** Where a feed pours links, two members who like one make an article of it. */
async function nominateInRust(sandbox: Sandbox, place: string): Promise<void> {
  const admin = sandbox.as(sandbox.admin);
  const settings = await openDoor(sandbox, place, POSTS);
  await admin.choose(place, settings, 'frontpage|settings|pick', ['nomination-channels']);
  const select = 'frontpage|settings|value|nomination-channels';
  await admin.choose(place, settings, select, [sandbox.channels.rust.id]);
  admin.dismiss(place, settings);
}

async function openWebPage(sandbox: Sandbox, place: string): Promise<void> {
  const admin = sandbox.as(sandbox.admin);
  const web = await openDoor(sandbox, place, 'frontpage|web|open');
  await admin.press(place, web, 'frontpage|web|show');
  admin.dismiss(place, web);
}

const POSTS = 'frontpage|settings|open|posts';

/** The message that a button on the panel opens. */
async function openDoor(sandbox: Sandbox, place: string, door: string): Promise<string> {
  const admin = sandbox.as(sandbox.admin);
  const panel = (await admin.command(place, 'frontpage panel')).message?.id ?? '';
  const { message } = await admin.press(place, panel, door);
  admin.dismiss(place, panel);
  return message?.id ?? '';
}

async function asAdmin(
  sandbox: Sandbox,
  place: string,
  words: string,
  values: Record<string, string> = {},
): Promise<void> {
  const admin = sandbox.as(sandbox.admin);
  const { kind, message } = await admin.command(place, words, values);
  if (kind === 'failed') throw new Error(`The bot did not answer /${words} when it was set up.`);
  // Only its reader saw it, and who comes now has not read it.
  if (message !== undefined) admin.dismiss(place, message.id);
}
