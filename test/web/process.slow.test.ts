import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../sandbox/tour/bot/free-port.ts';
import { patience, useOneBot } from '../fixtures/one-bot.ts';

const host = useOneBot();
let address: string;
let monitoring: string;

beforeAll(async () => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  monitoring = `http://127.0.0.1:${metricsPort}`;
  address = `http://127.0.0.1:${port}`;
  await host.startApp({ WEB_PORT: String(port), METRICS_PORT: String(metricsPort) });
});

async function web(
  member: string,
  subcommand: string,
  options: Record<string, string | boolean> = {},
) {
  const { sandbox } = host;
  const { general } = sandbox.channels;
  const answer = await sandbox
    .as(member)
    .command(general.id, `frontpage web ${subcommand}`, options);
  expect(answer.ephemeral).toBe(true);
  return answer.message?.content ?? '';
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
  sandbox.as(member).react(general.id, posted.message?.id ?? '', '👍');
  const figures = async () => (await fetch(`${monitoring}/metrics`)).text();
  await expect.poll(figures, patience).toContain('frontpage_votes_total{vote="up"} 1');
  const text = await figures();
  expect(text).toMatch(
    /frontpage_interaction_seconds_count\{kind="command",command="post",outcome="answered"\} 1/,
  );
  expect(text).toMatch(
    /frontpage_event_commit_seconds_count\{kind="reaction",outcome="counted"\} 1/,
  );
  expect(text).toContain('frontpage_on_discord 1');
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
  expect(await web(sandbox.admin, 'on', { names: true })).toContain(page);
  const html = async () => (await fetch(page)).text();
  await expect.poll(html, patience).toContain('by Ada Moreau');
  const shown = await html();
  expect(shown).toContain('For all');
  expect(shown).toContain('#general');
  expect(shown).not.toContain('Kept back');
  expect(shown).not.toContain('#moderators');
  await web(sandbox.admin, 'off');
  await expect.poll(async () => (await fetch(page)).status, patience).toBe(404);
});

test('an admin gives out a feed and takes it back', async () => {
  const { sandbox } = host;
  const given = await web(sandbox.admin, 'feed', { order: 'time' });
  const [atom = ''] = /http\S+\.atom/.exec(given) ?? [];
  expect(await (await fetch(atom)).text()).toContain('For all');
  expect(await web(sandbox.admin, 'feed', { group: sandbox.channels.moderators.id })).toContain(
    'no feed',
  );
  await web(sandbox.admin, 'revoke');
  await expect.poll(async () => (await fetch(atom)).status, patience).toBe(404);
});

test('the command is not for members who may not manage the server', async () => {
  const [member = ''] = host.sandbox.members;
  await expect(web(member, 'on')).rejects.toThrow('You have no command frontpage web');
});
