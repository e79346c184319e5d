import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeChannel } from '../../discord-box/src/world/channels/change-channel.ts';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { guildPayload } from '../../discord-box/src/world/guilds/guild-payload.ts';
import { openMemberNames } from '../../src/discord/member-names.ts';
import { communityOf } from '../../src/discord/access/visibility.ts';
import { createLog } from '../../src/runtime/log.ts';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { startWeb, type Web } from '../../src/web/web.ts';
import { hostileLinks, hostileTitles } from '../threats/hostile-texts.ts';
import { faultsIn } from '../threats/message-faults.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { startBrowser } from './browser.ts';
import { atomFaults, parseXml } from './feed-rules.ts';

/** Titles, links, and what members, channels and the server are called, from Discord to the browser. */
let scene: Scene;
let web: Web;
let browser: Browser;
let page: Page;
const dialogs: string[] = [];
const titles = Object.values(hostileTitles);
const links = Object.values(hostileLinks);

beforeAll(async () => {
  [scene, browser] = await Promise.all([startScene(), startBrowser()]);
  const { sandbox, clock } = scene;
  const { bot } = scene;
  const { general } = sandbox.channels;
  sandbox.guild.name = hostileTitles['html']!;
  sandbox.world.changes.emit({
    t: 'GUILD_UPDATE',
    d: guildPayload(sandbox.guild),
    guildId: sandbox.guildId,
    intents: 1,
  });
  const posters = sandbox.members.slice(0, 8);
  for (const [i, poster] of posters.entries()) {
    const nick = titles[i % titles.length]!.slice(0, 32);
    changeMember(sandbox.world, sandbox.guild, sandbox.guild.members.get(poster)!, { nick });
  }
  for (const title of titles) {
    const { id } = sandbox.operator.createChannel({ name: 'x' });
    changeChannel(sandbox.world, sandbox.world.channels.get(id)!, { name: title.slice(0, 100) });
  }
  changeChannel(sandbox.world, general, { name: hostileTitles['html']!.slice(0, 50) });
  const post = (poster: string, values: Record<string, string>) =>
    sandbox.as(poster).command(general.id, 'post', values);
  for (const [i, title] of titles.entries()) {
    const typed = title.trim() === '' ? {} : { title: title.slice(0, 256) };
    await post(posters[i % posters.length]!, { link: `https://evil.example/${i}`, ...typed });
  }
  for (const link of links) await post(posters[0]!, { link });
  await writeWebSettings(bot.store, sandbox.guildId, { open: true });
  await scene.eventually(
    () => bot.lists.page({ guild: sandbox.guildId, order: 'time', page: 1, pageSize: 50 }),
    ({ total }) => total >= titles.length,
    'posted',
  );
  web = await startWeb({
    host: '127.0.0.1',
    port: 0,
    publicAddress: undefined,
    clock,
    log: createLog('silent'),
  });
  const community = (id: string) => communityOf(bot.client, id);
  web.serve({
    ...bot,
    isOnDiscord: () => true,
    clockOffSeconds: () => 0,
    backupAgeSeconds: () => null,
    diskFreeBytes: () => null,
    zone: (guild) => bot.digests.zone(guild),
    guilds: () => 1,
    community,
    isAway: () => false,
    icon: async () => null,
    names: openMemberNames(bot.client, clock),
  });
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
});
afterAll(() => Promise.all([web.stop(), scene.stop(), browser.close()]));

describe('the public page', () => {
  test.each(['', '?order=time', '?order=time&page=2', '?order=score&lang=zh-CN'])(
    'the public page %s shows hostile texts as text, within its layout',
    async (query) => {
      await page.goto(`${web.address}/g/${scene.sandbox.guildId}${query}`);
      const seen = await page.evaluate(() => {
        const { document } = globalThis as unknown as { document: any };
        const { scrollWidth, clientWidth } = document.documentElement;
        const all = (selector: string) => [...document.querySelectorAll(selector)];
        return {
          overflow: scrollWidth - clientWidth,
          text: document.body.innerText as string,
          title: document.title as string,
          scripts: all('script, iframe, img, object, style, form:not(.search)').length,
          links: all('main h3 a').map((it: any) => [it.protocol, it.rel]) as string[][],
          empty: all('a').filter((it: any) => it.innerText.trim() === '').length,
          tall: all('main li').map((it: any) => it.getBoundingClientRect().height) as number[],
        };
      });
      expect(seen).toMatchObject({ overflow: 0, scripts: 0, empty: 0 });
      expect(faultsIn(seen.text)).toEqual([]);
      expect(faultsIn(seen.title)).toEqual([]);
      expect(seen.title).toContain('<script>alert(1)</script>');
      for (const [protocol, rel] of seen.links) {
        expect(protocol).toMatch(/^https?:$/);
        expect(rel).toBe('noopener nofollow ugc');
      }
      expect(Math.max(...seen.tall)).toBeLessThan(600);
      expect(dialogs).toEqual([]);
    },
  );

  test('the public page calls the group as the guild does', async () => {
    const { general } = scene.sandbox.channels;
    await page.goto(`${web.address}/g/${scene.sandbox.guildId}/${general.id}`);
    expect(await page.locator('main h2').innerText()).toContain('#<script>alert(1)</script>');
    expect(dialogs).toEqual([]);
  });
});

test('a feed keeps to its format and hides nothing', async () => {
  const { guildId } = scene.sandbox;
  const response = await fetch(`${web.address}/feeds/${guildId}?order=time`);
  expect(response.status).toBe(200);
  const root = await parseXml(page, await response.text());
  expect(atomFaults(root)).toEqual([]);
  expect(faultsIn(root.text)).toEqual([]);
});
