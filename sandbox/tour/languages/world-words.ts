import type { KnownPage } from '../known-page.ts';

/** The channels of the community that hold messages. */
export type ChannelName =
  | 'general'
  | 'frontPage'
  | 'moderators'
  | 'rust'
  | 'ai'
  | 'gameDev'
  | 'lateNight'
  | 'forum';

/** What a community says and is called in one language. */
export type WorldWords = {
  guild: string;
  categories: { talk: string; topics: string };
  /** The names, and the topics of those that have one. */
  channels: Record<ChannelName, readonly [name: string, topic?: string]>;
  /** User name and name. The first is the admin, the second the moderator. */
  people: readonly (readonly [username: string, name: string])[];
  /** They join while time is moved, and post their first link. */
  newcomers: readonly (readonly [username: string, name: string])[];
  /** What members say in between, oldest first. */
  talk: readonly (readonly [channel: ChannelName, text: string])[];
  /** What is said in the threads under articles. */
  replies: readonly string[];
  picture: { title: string; text: string; description: string };
  /** What posters say of their links, by link, where their pages are in another language. */
  comments: Readonly<Record<string, string>>;
  /** What posters say of links that they post while time is moved: it fits each. */
  finds: readonly string[];
  /** Pages in this language, which nobody posts in another community. */
  pages: readonly LocalPage[];
};

export type LocalPage = KnownPage & { channel: 'general' | 'rust' | 'ai' | 'gameDev' };

/** The links whose posters say something. */
export const LINKS = {
  watch: 'https://ciechanow.ski/mechanical-watch/',
  code: 'https://blog.codinghorror.com/the-best-code-is-no-code-at-all/',
  lists: 'https://rust-unofficial.github.io/too-many-lists/',
  belts: 'https://www.factorio.com/blog/post/fff-176',
  hexagons: 'https://www.redblobgames.com/grids/hexagons/',
} as const;
