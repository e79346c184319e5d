import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/act/answer.ts';
import { freePort } from '../fixtures/cluster.ts';
import { useInstalledBot } from '../fixtures/installed-bot.ts';
import { openPanel } from '../fixtures/open-panel.ts';

const host = useInstalledBot();
let address: string;
let monitoring: string;

beforeAll(async () => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  monitoring = `http://127.0.0.1:${metricsPort}`;
  address = `http://127.0.0.1:${port}`;
  const ports = { WEB_PORT: String(port), METRICS_PORT: String(metricsPort) };
  await host.startApp({ ...ports, WEB_URL: address });
});

const text = ({ message }: Answer) => message?.embeds[0]?.description ?? message?.content ?? '';

/** Opens the web page's part of the panel as the admin, who then presses its buttons. */
async function openWeb() {
  const { sandbox } = host;
  const { general } = sandbox.channels;
  const admin = sandbox.as(sandbox.admin);
  const id = (await openPanel(admin, general.id, 'web')).message?.id ?? '';
  return {
    press: async (action: string) =>
      text(await admin.press(general.id, id, `frontpage|web|${action}`)),
    invite: async (invite: string) => {
      const { interactionId } = await admin.press(general.id, id, 'frontpage|web|invite');
      return text(await admin.submit(interactionId, { invite }));
    },
  };
}

test('the process is ready, and tells its figures', async () => {
  const { sandbox } = host;
  const ready = await fetch(`${monitoring}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    expect.objectContaining({ ready: true }),
  ]);
  const { general } = sandbox.channels;
  const [member = ''] = sandbox.members;
  const link = 'https://news.example/counted';
  const posted = await sandbox.as(sandbox.admin).command(general.id, 'post', { link });
  const id = posted.message?.id ?? '';
  // A vote before the commit is read from Discord, and counted as a repair.
  await expect.poll(() => general.messages.get(id)?.reactions.size).toBe(1);
  sandbox.as(member).react(general.id, id, '👍');
  const figures = async () => (await fetch(`${monitoring}/metrics`)).text();
  await expect.poll(figures).toContain('frontpage_votes_total{vote="up"} 1');
  await expect
    .poll(figures)
    .toMatch(
      /frontpage_interaction_seconds_count\{kind="command",command="post",outcome="answered"\} 1/,
    );
  await expect
    .poll(figures)
    .toMatch(/frontpage_event_commit_seconds_count\{kind="reaction",outcome="counted"\} 1/);
  expect(await figures()).toContain('frontpage_on_discord 1');
});

test('an admin opens a page that shows what everyone may see, and closes it again', async () => {
  const { sandbox } = host;
  const { general, moderators } = sandbox.channels;
  const admin = sandbox.as(sandbox.admin);
  await admin.command(general.id, 'post', { link: 'https://news.example/all', title: 'For all' });
  const kept = { link: 'https://news.example/some', title: 'Kept back' };
  await admin.command(moderators.id, 'post', kept);
  const page = `${address}/g/${sandbox.guildId}`;
  expect((await fetch(page)).status).toBe(404);
  const web = await openWeb();
  expect(await web.press('show')).toContain(page);
  expect(await web.invite('no link')).toContain('`no link` isn’t an invite');
  expect(await web.invite('discord.gg/harbour')).toContain('https://discord.gg/harbour');
  const html = async () => (await fetch(page)).text();
  await expect.poll(html).toContain('For all');
  const shown = await html();
  expect(shown).toContain('https://discord.gg/harbour');
  expect(shown).toContain('#general');
  expect(shown).not.toContain('Kept back');
  expect(shown).not.toContain('#moderators');
  await web.press('close');
  await expect.poll(async () => (await fetch(page)).status).toBe(404);
});

test('an admin opens feeds with the page, and closes them while the page stays', async () => {
  const web = await openWeb();
  const [feed = ''] = /http\S+\/feeds\/\d+/.exec(await web.press('show')) ?? [];
  await expect.poll(async () => (await fetch(feed)).text()).toContain('For all');
  expect(await web.press('no-feeds')).toContain('Feeds: off');
  await expect.poll(async () => (await fetch(feed)).status).toBe(404);
  expect((await fetch(`${address}/g/${host.sandbox.guildId}`)).status).toBe(200);
});

// Withstands (Attacks): A client connects and says nothing, or half of a request, letter by letter
// → its connection is closed within half a minute
test('a connection that says nothing, or never ends its request, is closed', async () => {
  const { hostname, port } = new URL(address);
  const silent = connect(Number(port), hostname).resume();
  const half = connect(Number(port), hostname).resume();
  half.write('GET /g/1 HTTP/1.1\r\nhost: localhost\r\nx-');
  const writing = setInterval(() => half.write('a'), 1000);
  half.on('error', () => {});
  half.on('close', () => clearInterval(writing));
  await expect.poll(() => [silent.closed, half.closed], { timeout: 60_000 }).toEqual([true, true]);
}, 90_000);
