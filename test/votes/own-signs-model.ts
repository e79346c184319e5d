import { expect } from 'vitest';
import { seededRandom } from '../../discord-box/src/index.ts';
import { removeAllReactions, removeEmoji } from '../../discord-box/src/world/messages/reactions.ts';
import { exportGuild } from '../../src/backup/guild-file/export.ts';
import { guildFiles } from '../../src/backup/guild-file/read.ts';
import { type SettingName, type Settings, writeSetting } from '../../src/community/settings.ts';
import { rebuildGuild } from '../../src/history/rebuild/rebuild-guild.ts';
import { VOTING_OPEN_MS } from '../../src/ranking/rules.ts';
import { closeDueArticles } from '../../src/votes/close-articles.ts';
import { bytesOf } from '../backup/guild-file/guild-files.ts';
import type { Scene } from '../fixtures/scene.ts';

type Side = 'up' | 'down';
/** A reaction as Discord keeps it: an emoji in one of its forms. */
type Variant = { emoji: string; burst: boolean };

const nameOf = ({ emoji, burst }: Variant) => `${emoji}${burst ? ' super' : ''}`;

/** Written without the bot's code: what one member shows under one article, in the order of adding. */
class Shown {
  private shown: { name: string; emoji: string; side: Side }[] = [];

  /** The bot takes away what stands for the other vote. */
  add(variant: Variant, side: Side): void {
    const name = nameOf(variant);
    if (this.shown.some((one) => one.name === name)) return;
    const stays = this.shown.filter((one) => one.side === side);
    this.shown = [...stays, { name, emoji: variant.emoji, side }];
  }

  remove(variant: Variant): void {
    this.shown = this.shown.filter(({ name }) => name !== nameOf(variant));
  }

  removeEmoji(emoji: string): void {
    this.shown = this.shown.filter((one) => one.emoji !== emoji);
  }

  removeAll(): void {
    this.shown = [];
  }

  get vote(): Side | null {
    return this.shown.at(-1)?.side ?? null;
  }

  get names(): string[] {
    return this.shown.map(({ name }) => name).sort();
  }
}

/** What a server decides, and each emoji that is a vote under what is posted then. */
type Way = { settings: Partial<Settings>; up: string[]; down: string[] };
/** Emoji of the server, as Discord writes them in a text. */
export type OwnEmoji = { yes: string; no: string };

function waysOf({ yes, no }: OwnEmoji): Way[] {
  return [
    { settings: {}, up: ['👍', '👍🏽'], down: ['👎', '👎🏿'] },
    { settings: { votes: 'up' }, up: ['👍', '👍🏽'], down: ['👎'] },
    {
      settings: { 'up-emoji': yes, 'down-emoji': no },
      up: [yes, '👍', '👍🏽'],
      down: [no, '👎'],
    },
    {
      settings: { votes: 'up', 'up-emoji': '👏', 'down-emoji': no },
      up: ['👏', '👏🏿', '👍'],
      down: [no, '👎'],
    },
    {
      settings: { 'up-emoji': '⬆️', 'down-emoji': '✋' },
      up: ['⬆️', '👍'],
      down: ['✋', '✋🏽', '👎'],
    },
  ];
}

export async function decide(scene: Scene, values: Partial<Settings>): Promise<void> {
  const standard = { votes: 'both', 'votes-otherwise': [], 'up-emoji': null, 'down-emoji': null };
  for (const [name, value] of Object.entries({ ...standard, ...values })) {
    await writeSetting(scene.bot.store, scene.sandbox.guildId, name as SettingName, value as never);
  }
  await scene.bot.rules.refresh(scene.sandbox.guildId);
}

/** What is done besides reacting: it changes no vote, but for what the model is told. */
const WORKS = ['recount', 'full recount', 'restart', 'rebuild', 'restore', 'settings'] as const;
export type Work = (typeof WORKS)[number];
export const works: readonly Work[] = WORKS;

/**
 * Members react at random under articles of all ways, and after each act what is shown and counted is what the model
 * says. `works`: what is done between their acts. At the end all are closed, and rebuilt from Discord alone.
 */
export async function expectVotesOfModel(
  scene: Scene,
  { yes, no }: OwnEmoji,
  options: { seed: number; steps: number; works: readonly Work[] },
): Promise<void> {
  const { sandbox } = scene;
  const { guildId, world } = sandbox;
  const general = sandbox.channels.general;
  const random = seededRandom(options.seed);
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
  const members = scene.crowd(4);
  const [otherBot = ''] = scene.crowd(1, true);
  const ways = waysOf({ yes, no });
  const articles: { id: string; way: Way; shown: Map<string, Shown> }[] = [];
  for (const way of ways) {
    await decide(scene, way.settings);
    const id = await scene.post(sandbox.admin);
    articles.push({ id, way, shown: new Map(members.map((one) => [one, new Shown()])) });
  }
  const guild = () => scene.bot.client.guilds.cache.get(guildId)!;

  const showsNow = (id: string, member: string) =>
    [...scene.message(id).reactions.values()]
      .flatMap(({ emoji, normal, burst }) => {
        const { id: of, name } = emoji;
        const text = of === null ? name : ([yes, no].find((one) => one.includes(of)) ?? of);
        return [
          ...(normal.has(member) ? [nameOf({ emoji: text, burst: false })] : []),
          ...(burst.has(member) ? [nameOf({ emoji: text, burst: true })] : []),
        ];
      })
      .sort();
  const tallyOf = (shown: Map<string, Shown>): [number, number] => {
    const votes = [...shown.values()].map(({ vote }) => vote);
    const of = (side: Side) => votes.filter((vote) => vote === side).length;
    return [1 + of('up'), of('down')];
  };
  const agree = ({ id, shown }: (typeof articles)[number]) =>
    scene.expectTally(id, ...tallyOf(shown));
  const agreeAll = async () => {
    for (const article of articles) await agree(article);
  };

  const does: Record<Work, () => Promise<unknown>> = {
    recount: () => scene.recount(),
    'full recount': () => scene.recount({ full: true }),
    async restart() {
      await scene.restartBot();
      await scene.recount();
    },
    async rebuild() {
      await scene.redis.flush();
      await rebuildGuild(scene.bot, guild(), {});
      await scene.recount({ full: true });
    },
    async restore() {
      let file = '';
      for await (const line of exportGuild(scene.bot, guildId, scene.clock.now())) file += line;
      await scene.redis.flush();
      for await (const part of guildFiles(bytesOf(file))) {
        await scene.bot.backup.restore(guild(), part);
      }
      await scene.bot.rules.refresh(guildId);
    },
    settings: () => decide(scene, pick(ways).settings),
  };

  const acts: Record<string, (article: (typeof articles)[number]) => void> = {
    add({ id, way, shown }) {
      const [member, side] = [pick(members), pick<Side>(['up', 'down'])];
      const variant = { emoji: pick(way[side]), burst: random.below(4) === 0 };
      scene.react(member, id, variant.emoji, variant.burst);
      shown.get(member)!.add(variant, side);
    },
    remove({ id, way, shown }) {
      const member = pick(members);
      const variant = { emoji: pick([...way.up, ...way.down]), burst: random.below(4) === 0 };
      scene.unreact(member, id, variant.emoji, variant.burst);
      shown.get(member)!.remove(variant);
    },
    'remove what is shown'({ id, shown }) {
      const member = pick(members);
      const [name] = shown.get(member)!.names;
      if (name === undefined) return;
      const variant = { emoji: name.replace(/ super$/, ''), burst: name.endsWith(' super') };
      scene.unreact(member, id, variant.emoji, variant.burst);
      shown.get(member)!.remove(variant);
    },
    'add what means nothing'({ id, way }) {
      const all = [...new Set(ways.flatMap(({ up, down }) => [...up, ...down])), '🎉'];
      const thumbs = /^[👍👎]/u;
      const strange = all.filter((one) => ![...way.up, ...way.down].includes(one));
      const emoji = pick(strange.filter((one) => !thumbs.test(one)));
      const member = pick(members);
      scene.react(member, id, emoji);
      scene.unreact(member, id, emoji);
    },
    'add as the poster or a bot'({ id, way }) {
      scene.react(pick([sandbox.admin, otherBot]), id, pick([...way.up, ...way.down]));
    },
    'clear an emoji'({ id, way, shown }) {
      const emoji = pick([...way.up, ...way.down]);
      const [, name = emoji, own = null] = /^<:(\w+):(\d+)>$/.exec(emoji) ?? [];
      removeEmoji(world, general, scene.message(id), { id: own, name });
      for (const one of shown.values()) one.removeEmoji(emoji);
    },
    'clear all'({ id, shown }) {
      removeAllReactions(world, general, scene.message(id));
      for (const one of shown.values()) one.removeAll();
    },
  };
  const odds = [
    ...Array.from({ length: 9 }, () => 'add'),
    ...Array.from({ length: 3 }, () => 'remove what is shown'),
    ...Object.keys(acts),
  ];

  for (let n = 0; n < options.steps; n += 1) {
    const article = pick(articles);
    acts[pick(odds)]!(article);
    // What is replaced, or does not count, is taken away before anybody goes on.
    const expected = [...article.shown].map(([member, { names }]) => [member, names]);
    const now = () => [...article.shown.keys()].map((one) => [one, showsNow(article.id, one)]);
    await expect.poll(now).toEqual(expected);
    await expect
      .poll(() => [sandbox.admin, otherBot].flatMap((one) => showsNow(article.id, one)))
      .toEqual([]);
    await agree(article);
    if (options.works.length > 0 && random.below(4) === 0) {
      await does[pick(options.works)]();
      await agreeAll();
    }
  }

  scene.clock.move(VOTING_OPEN_MS + 1000);
  await closeDueArticles(scene.bot, guildId);
  await agreeAll();
  for (const { id, shown } of articles) {
    const [up, down] = tallyOf(shown);
    const result = `-# ▲ ${up}${down > 0 ? ` ▼ ${down}` : ''} · `;
    await expect.poll(() => scene.message(id).content.split('\n').at(-1)).toContain(result);
  }
  await scene.redis.flush();
  await rebuildGuild(scene.bot, guild(), {});
  await agreeAll();
  for (const { id } of articles) expect((await scene.article(id))?.closed).toBe(true);
}
