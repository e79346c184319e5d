import {
  createMessage,
  type NewMessage,
} from '../../discord-box/src/world/messages/change-message.ts';
import type { Message } from '../../discord-box/src/index.ts';
import { writeSetting } from '../../src/community/settings.ts';
import type { Article } from '../../src/ranking/articles/articles.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

/** A link that stands in what its message says. */
export const inContent = (content: string): Partial<NewMessage> => ({ content });

/** A scene with a feed bot that pours links into #general, where what two members like becomes an article. */
export type Feed = {
  scene: Scene;
  general: string;
  /** The members who react. */
  members: string[];
  /** A link that nobody had. */
  fresh(): string;
  /** The feed bot's message: by default the link stands in its embed alone. Returns its id. */
  pour(link: string, given?: Partial<NewMessage>, channel?: string): string;
  /** Two members like a message, the first before the second. */
  like(message: string): void;
  /** The bot's replies to a message. */
  answersTo(message: string): Message[];
  /** Resolves with the article of a message's link. */
  articleOf(message: string): Promise<Article>;
  /** Resolves when what was liked before is looked at: what was liked after it is an article. */
  looked(): Promise<void>;
  /** Has the last day of a channel looked at, as when the bot arrives. */
  look(channel: string): Promise<void>;
  /** Chooses the channels, as they are looked at. */
  nominateIn(...channels: string[]): Promise<void>;
  /** Counts requests from now on: what was asked of earlier messages has been answered. */
  counting(): Promise<void>;
  /** How many single messages the bot has read. */
  readMessages(): number;
};

export async function startFeed(): Promise<Feed> {
  const privileged = { messageContent: true, guildMembers: false, presences: false };
  const scene = await startScene({ privileged, follows: true });
  const { members, guildId, world } = scene.sandbox;
  const { botId } = world.application;
  const general = scene.sandbox.channels.general.id;
  const [author = ''] = scene.crowd(1, true);
  let links = 0;
  const feed: Feed = {
    scene,
    general,
    members,
    fresh() {
      links += 1;
      return `https://feed.example/item-${links}`;
    },
    pour(link, given, channel = general) {
      const title = `On ${link.split('/').at(-1)}`;
      const said = given ?? { embeds: [{ type: 'rich', title, url: link }] };
      return createMessage(world, world.channels.get(channel)!, { authorId: author, ...said }).id;
    },
    like(message) {
      scene.react(members[0] ?? '', message, '👍');
      scene.react(members[1] ?? '', message, '👍');
    },
    answersTo: (message) =>
      [...world.channels.values()]
        .flatMap((channel) => [...channel.messages.values()])
        .filter((one) => one.replyTo === message && one.authorId === botId),
    async articleOf(message) {
      const sent = () => feed.answersTo(message)[0];
      const answer = await scene.eventually(sent, Boolean, 'an article');
      return (await scene.eventually(() => scene.article(answer!.id), Boolean, 'committed'))!;
    },
    async looked() {
      await scene.settled();
      const twin = feed.pour(feed.fresh());
      scene.react(members[4] ?? '', twin, '👍');
      scene.react(members[5] ?? '', twin, '👍');
      await feed.articleOf(twin);
      await scene.bot.due.look();
      await scene.settled();
    },
    async look(channel) {
      await scene.bot.due.plan(guildId, `nominations:${channel}`, 0);
      await feed.looked();
    },
    async nominateIn(...channels) {
      await writeSetting(scene.bot.store, guildId, 'nomination-channels', channels);
      await scene.bot.rules.refresh(guildId);
      // What was there before is looked at, and later likes are not mistaken for it.
      await scene.settled();
      scene.clock.move(5000);
      await scene.bot.due.look();
    },
    async counting() {
      await scene.settled();
      await scene.eventually(() => scene.sandbox.requests.isIdle(), Boolean, 'idle');
      scene.sandbox.requests.reset();
    },
    readMessages: () => scene.sandbox.requests.count('GET', /\/messages\/:message$/),
  };
  await feed.nominateIn(general);
  return feed;
}
