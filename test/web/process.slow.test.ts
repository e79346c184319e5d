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
  await host.startApp({ WEB_PORT: String(port), METRICS_PORT: String(metricsPort) });
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
  await expect.poll(() => general.messages.get(id)?.reactions.size).toBe(2);
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

test('an admin gives out a feed and takes it back', async () => {
  const web = await openWeb();
  const [feed = ''] = /http\S+/.exec((await web.press('feed')).split('\n').at(-2) ?? '') ?? [];
  expect(await (await fetch(feed)).text()).toContain('For all');
  expect((await fetch(feed)).status).toBe(200);
  expect(await web.press('revoke')).toContain('no longer work');
  await expect.poll(async () => (await fetch(feed)).status).toBe(404);
});
