import {
  addMember,
  addReaction,
  addUser,
  createMessage,
  type Reaction,
} from '../../sandbox/discord/index.ts';
import { articleMessage } from '../../src/articles/messages/message.ts';
import { directionOf } from '../../src/discord/packets.ts';
import { followRecounts, type Recounts } from '../../src/recount/scheduler.ts';
import { recountGuild } from '../../src/recount/guild.ts';
import type { RecountOptions } from '../../src/recount/compare.ts';
import type { Report } from '../../src/recount/report.ts';
import { postArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { VOTING_OPEN_MS } from '../../src/ranking/rules.ts';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { quickPace, type Scene, startScene } from '../fixtures/scene.ts';

/** A scene whose bot recounts, with articles and members by the hundred. */
export type Stage = Scene & {
  /** The bot's, and its successors'. */
  recounts: Recounts;
  /** Recounts begin by themselves, as in the whole bot. */
  follow(): void;
  recount(options?: RecountOptions): Promise<Report>;
  /** Articles in a channel, put there without a word to the gateway's limits. */
  plant(channel: string, count?: number): Promise<string[]>;
  /** Further members. */
  crowd(count: number, bot?: boolean): string[];
  /** Changes the record without the bot being told. */
  secretly(change: () => void): void;
  /** Whether the bot itself shows a reaction under the article. */
  isOwn(article: string, emoji: string): boolean;
  /** How the ranking differs from the record; nothing where they agree. */
  differences(articles: readonly string[]): Promise<string[]>;
  agree(articles: readonly string[]): Promise<void>;
  /** The members who show reactions in the record. */
  shownOn(article: string): Shown;
};

/** The numbers of members who show one reaction alone, and who show both. */
export type Shown = { ups: number; downs: number; both: number };

export async function startStage(options: Parameters<typeof startScene>[0] = {}): Promise<Stage> {
  const scene = await startScene(options);
  const { sandbox } = scene;
  const { world, guild } = sandbox;
  const poster = sandbox.admin;
  let planted = 0;
  let members = 0;

  const mayVote = (member: string) => member !== poster && world.users.get(member)?.bot !== true;

  async function differencesOf(id: string): Promise<string[]> {
    const { reactions } = scene.message(id);
    const { ranking } = scene.bot.app;
    const [article, voters] = await Promise.all([
      readArticle(ranking, sandbox.guildId, id),
      readVoters(ranking, sandbox.guildId, id),
    ]);
    if (!article) return [`${id} is unknown`];
    const shows = shownIn(reactions, mayVote);
    const found: string[] = [];
    for (const member of new Set([...shows.keys(), ...voters.keys()])) {
      const shown = shows.get(member) ?? new Set();
      const vote = voters.get(member)?.vote ?? 'none';
      const fits = shown.size === 2 || (shown.size === 0 ? vote === 'none' : shown.has(vote));
      if (!fits) found.push(`${id}: ${member} shows ${[...shown].join(' and ')}, votes ${vote}`);
    }
    const votes = [...voters.values()].map(({ vote }) => vote);
    const up = 1 + votes.filter((vote) => vote === 'up').length;
    const down = votes.filter((vote) => vote === 'down').length;
    if (article.up !== up || article.down !== down)
      found.push(`${id}: the tally is not its voters`);
    return found;
  }

  const stage: Stage = Object.assign(scene, {
    recounts: undefined as unknown as Recounts,
    follow: () => {
      stage.recounts = followRecounts(scene.bot, quickPace);
    },
    recount: (options: RecountOptions = {}) =>
      recountGuild(scene.bot.app, sandbox.guildId, options),
    async plant(channelId: string, count = 1) {
      const channel = world.channels.get(channelId);
      if (!channel) throw new Error('There is no such channel.');
      const ids: string[] = [];
      const home = channel.thread ? (channel.parentId ?? '') : channelId;
      for (let i = 0; i < count; i += 1) {
        planted += 1;
        const link = `https://planted.example/${planted}`;
        const carried = { title: `Article ${planted}`, link, poster, groups: [home] };
        const { content } = articleMessage(
          {
            ...carried,
            interesting: false,
            locked: false,
            result: null,
            beside: false,
            closesAtMs: scene.clock.now() + VOTING_OPEN_MS,
          },
          'en-US',
        );
        const message = createMessage(world, channel, {
          authorId: world.application.botId,
          content,
        });
        for (const name of ['👍', '👎']) {
          const emoji = { id: null, name };
          addReaction(world, channel, message, world.application.botId, emoji, false);
        }
        await postArticle(scene.bot.app.ranking, {
          guild: sandbox.guildId,
          id: message.id,
          ...carried,
          canonical: link,
          home,
          channel: channelId,
          listed: true,
        });
        ids.push(message.id);
      }
      return ids;
    },
    crowd(count: number, bot = false) {
      return Array.from({ length: count }, () => {
        members += 1;
        const user = addUser(world, { username: `member-${members}`, bot });
        addMember(world, guild, user.id);
        return user.id;
      });
    },
    secretly(change: () => void) {
      sandbox.gateway.events.set({ drop: 1 });
      change();
      sandbox.gateway.events.set(undefined);
    },
    isOwn: (article: string, emoji: string) =>
      scene.whoShows(article, emoji).includes(world.application.botId),
    async differences(articles: readonly string[]) {
      return (await Promise.all(articles.map(differencesOf))).flat();
    },
    shownOn(article: string) {
      const shows = [...shownIn(scene.message(article).reactions, mayVote).values()];
      const both = shows.filter(({ size }) => size === 2).length;
      const ups = shows.filter((shown) => shown.has('up')).length - both;
      return { ups, downs: shows.length - both - ups, both };
    },
    async agree(articles: readonly string[]) {
      await scene.eventually(
        () => stage.differences(articles),
        (found) => found.length === 0,
        'what the record says',
      );
    },
  });
  return stage;
}

function shownIn(
  reactions: Map<string, Reaction>,
  counts: (member: string) => boolean,
): Map<string, Set<string>> {
  const shows = new Map<string, Set<string>>();
  for (const { emoji, normal, burst } of reactions.values()) {
    const direction = emoji.id === null ? directionOf(emoji.name) : null;
    if (!direction) continue;
    for (const member of [...normal, ...burst]) {
      if (counts(member)) shows.set(member, (shows.get(member) ?? new Set()).add(direction));
    }
  }
  return shows;
}
