import { PermissionFlagsBits as P } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../discord-box/src/index.ts';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { changeEmojis } from '../../discord-box/src/world/guilds/change-guild.ts';
import { type SettingName, writeSetting } from '../../src/community/settings.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let yes: string;
let no: string;

beforeAll(async () => {
  scene = await startScene();
  const { world, channels, operator } = scene.sandbox;
  const me = world.application.botId;
  setOverwrite(world, channels.general, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
  [yes = '', no = ''] = ['yes', 'no'].map((name) => `<:${name}:${operator.addEmoji({ name })}>`);
  // A member's first article has no down sign of the bot.
  await scene.post(scene.sandbox.admin);
});
afterAll(() => scene.stop());

type Side = 'up' | 'down';

/** Written without the bot's code: what one member shows under one article, in the order of adding. */
class Shown {
  private readonly shown: { emoji: string; side: Side }[] = [];

  /** The bot takes away what stands for the other vote. */
  add(emoji: string, side: Side): void {
    if (this.shown.some((one) => one.emoji === emoji)) return;
    const stays = this.shown.filter((one) => one.side === side);
    this.shown.splice(0, this.shown.length, ...stays, { emoji, side });
  }

  remove(emoji: string): void {
    const at = this.shown.findIndex((one) => one.emoji === emoji);
    if (at >= 0) this.shown.splice(at, 1);
  }

  removeAll(): void {
    this.shown.splice(0);
  }

  get vote(): Side | null {
    return this.shown.at(-1)?.side ?? null;
  }

  get emojis(): string[] {
    return this.shown.map(({ emoji }) => emoji).sort();
  }
}

type Way = { settings: Record<string, unknown>; up: string[]; down: string[] };

const waysOf = (): Way[] => [
  { settings: {}, up: ['👍', '👍🏽'], down: ['👎', '👎🏿'] },
  { settings: { votes: 'up' }, up: ['👍', '👍🏽'], down: ['👎'] },
  {
    settings: { 'up-emoji': yes, 'down-emoji': no },
    up: [yes, '👍', '👍🏽'],
    down: [no, '👎'],
  },
  {
    settings: { votes: 'up', 'up-emoji': '⬆️', 'down-emoji': no },
    up: ['⬆️', '👍'],
    down: [no, '👎'],
  },
];

async function decide(settings: Record<string, unknown>): Promise<void> {
  const standard = { votes: 'both', 'up-emoji': null, 'down-emoji': null };
  for (const [name, value] of Object.entries({ ...standard, ...settings })) {
    await writeSetting(scene.bot.store, scene.sandbox.guildId, name as SettingName, value as never);
  }
  await scene.bot.rules.refresh(scene.sandbox.guildId);
}

test.each([1, 2, 3])(
  'whatever members show, switch and take back under articles of any signs, their votes are those of a model (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
    const members = scene.crowd(5);
    const ways = waysOf();
    const articles: { id: string; way: Way; shown: Map<string, Shown> }[] = [];
    for (const way of ways) {
      await decide(way.settings);
      const id = await scene.post(scene.sandbox.admin);
      articles.push({ id, way, shown: new Map(members.map((one) => [one, new Shown()])) });
    }
    await decide(pick(ways).settings);

    const emojis = [...new Set(ways.flatMap(({ up, down }) => [...up, ...down]))];
    const showsNow = (id: string, member: string) =>
      emojis.filter((emoji) => scene.whoShows(id, emoji).includes(member)).sort();
    const agree = async ({ id, shown }: (typeof articles)[number]) => {
      const votes = [...shown.values()].map(({ vote }) => vote);
      const of = (side: Side) => votes.filter((vote) => vote === side).length;
      await scene.expectTally(id, 1 + of('up'), of('down'));
    };

    for (let n = 0; n < 60; n += 1) {
      const article = pick(articles);
      const { id, way, shown } = article;
      const member = pick(members);
      const model = shown.get(member)!;
      const what = random.below(20);
      if (what === 0) {
        scene.sandbox.operator.clearReactions({
          channel: scene.sandbox.channels.general.id,
          message: id,
        });
        for (const one of shown.values()) one.removeAll();
      } else if (what < 13) {
        const side: Side = random.below(2) === 0 ? 'up' : 'down';
        const emoji = pick(way[side]);
        scene.react(member, id, emoji);
        model.add(emoji, side);
      } else if (what < 15) {
        // It means nothing under this article.
        const strange = pick(emojis.filter((one) => ![...way.up, ...way.down].includes(one)));
        if (!['👍', '👎', '👍🏽', '👎🏿'].includes(strange)) {
          scene.react(member, id, strange);
          scene.unreact(member, id, strange);
        }
      } else {
        const emoji = pick([...way.up, ...way.down]);
        scene.unreact(member, id, emoji);
        model.remove(emoji);
      }
      // What is replaced is taken away before the member goes on.
      await expect.poll(() => showsNow(id, member)).toEqual(model.emojis);
      await agree(article);
    }

    // A server emoji that is deleted leaves the votes, and everything that is read anew agrees.
    const { guild, world, guildId } = scene.sandbox;
    const emoji = guild.emojis.get(/(\d+)>$/.exec(no)?.[1] ?? '')!;
    changeEmojis(world, guild, () => guild.emojis.delete(emoji.id));
    await scene.recount({ full: true });
    for (const article of articles) await agree(article);
    changeEmojis(world, guild, () => guild.emojis.set(emoji.id, emoji));
    await scene.redis.flush();
    await rebuildGuild(scene.bot, scene.bot.client.guilds.cache.get(guildId)!, {});
    await scene.recount({ full: true });
    for (const article of articles) await agree(article);
  },
);
