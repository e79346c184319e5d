import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBoard, writeBoardState } from '../../src/board/stored-board.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let member: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  [member = ''] = sandbox.members;
});
afterAll(() => scene.stop());

async function text(who: string, place = general): Promise<string> {
  const { message } = await scene.sandbox.as(who).command(place, 'help');
  return message?.embeds.map(({ description }) => description).join('\n') ?? '';
}

/** What it names, in order. A command has one line, with a mention for each of its subcommands. */
async function parts(who: string): Promise<unknown[]> {
  return [...(await text(who)).matchAll(/^(?:(\*\*.+\*\*)$|<\/([a-z]+))/gm)].map(
    ([, heading, name]) => (heading === undefined ? name : 'heading'),
  );
}

async function setMinimumAge(days: number): Promise<void> {
  await writeSetting(scene.bot.store, scene.sandbox.guildId, 'member-days', days);
  await scene.bot.rules.refresh(scene.sandbox.guildId);
}

describe('/help', () => {
  test('/help puts what members may do first, and names no part that the asker may not use', async () => {
    const members = ['heading', 'post', 'me', 'top', 'search', 'stats', 'help'];
    expect(await parts(member)).toEqual(members);
    const moderators = [...members, 'heading', 'group', 'mod'];
    expect(await parts(scene.sandbox.moderator)).toEqual(moderators);
    expect(await parts(scene.sandbox.admin)).toEqual([
      ...moderators,
      'heading',
      'digest',
      'frontpage',
    ]);
  });

  test('/help names commands to be clicked, and what the menus of messages and members have', async () => {
    const mine = await text(member);
    const { commands } = scene.sandbox.world;
    const post = [...commands.values()].find(({ form }) => form.name === 'post');
    expect(mine).toContain(`</post:${post?.id}> — Post a link`);
    expect(mine).toContain('</me retitle:');
    expect(mine).toContain('**Post this link**');
    expect(mine).toMatch(/\*\*Report to the moderators\*\* — right-click .* a message/);
    const all = await text(scene.sandbox.admin);
    expect(all).toMatch(/\*\*Moderate links of…\*\* — right-click .* a member/);
    expect(all).toMatch(
      /<\/frontpage panel:\d+> .*<\/frontpage restore:\d+> — Set up, check and repair Frontpage/,
    );
  });

  test('/help names the board to who may view its channel, and to nobody else', async () => {
    const { sandbox } = scene;
    const { admin, channels } = sandbox;
    const { id: inside } = channels.moderators;
    const { message } = await openPanel(sandbox.as(admin), general, 'board');
    await sandbox.as(admin).choose(general, message!.id, 'frontpage|board|channel', [inside]);
    await scene.eventually(
      () => text(admin),
      (help) => help.includes(`<#${inside}>`),
      'named',
    );
    expect(await text(member)).not.toContain(`<#${inside}>`);
    // Nor is a board that was deleted, or is not shown yet.
    const { store } = scene.bot;
    const { state } = (await readBoard(store, sandbox.guildId))!;
    await writeBoardState(store, sandbox.guildId, { ...state, message: null });
    expect(await text(admin)).not.toContain(`<#${inside}>`);
    await writeBoardState(store, sandbox.guildId, state);
    expect(await text(admin)).toContain(`<#${inside}>`);
    await sandbox.as(admin).press(general, message!.id, 'frontpage|board|down');
    expect(await text(admin)).not.toContain(`<#${inside}>`);
  });

  test('/help says what is voted with in the asker’s channel, and that the thumbs count beside a sign of the server', async () => {
    const { channels } = scene.sandbox;
    const set = async (name: 'votes-otherwise' | 'down-emoji', value: string[] | string | null) => {
      await writeSetting(scene.bot.store, scene.sandbox.guildId, name, value);
      await scene.bot.rules.refresh(scene.sandbox.guildId);
    };
    const both = 'Everyone votes 👍 or 👎 for a week';
    expect(await text(member)).toContain(both);
    await set('votes-otherwise', [channels.rust.id]);
    expect(await text(member)).toContain(both);
    await set('votes-otherwise', [general]);
    expect(await text(member)).toContain('Everyone votes 👍 for a week');
    // A thread's articles are those of its channel.
    const { id: thread } = scene.sandbox.as(member).startThread(general, 'Talk');
    expect(await text(member, thread)).toContain('Everyone votes 👍 for a week');
    const { id: other } = scene.sandbox.as(member).startThread(channels.rust.id, 'Talk');
    expect(await text(member, other)).toContain(both);
    await set('votes-otherwise', []);
    expect(await text(member)).not.toContain('count here as well');
    await set('down-emoji', '💤');
    expect(await text(member)).toContain('👍 and 👎 count here as well.');
    await set('down-emoji', null);
  });

  test('/help is in the asker’s language', async () => {
    expect(await text(scene.sandbox.moderator)).toContain(
      '**投稿此链接** — 右键点击（手机上长按）消息',
    );
  });

  test('/help tells a member whose votes do not count, and nobody else, why and until when', async () => {
    const { bot, sandbox } = scene;
    const { guildId: guild } = sandbox;
    expect(await text(member)).not.toContain('don’t count');
    await setMinimumAge(365);
    expect(await text(member)).toMatch(
      /^⚠️ Your votes don’t count here until <t:\d+:D>: you haven’t been here as long as this server asks\.\n/,
    );
    await setMinimumAge(0);
    await setOptedOut(bot.store, guild, member, true);
    await bot.rules.refresh(guild, { member });
    expect(await text(member)).toMatch(/^⚠️ Your votes don’t count here: you opted out/);
    expect(await text(sandbox.moderator)).not.toContain('⚠️');
  });
});
