import type { GuildMember } from 'discord.js';
import { z } from 'zod';
import type {
  Choice,
  GuildCommand,
  GuildCompletion,
  GuildMessageCommand,
} from '../discord/commands/command.ts';
import { UserError } from '../discord/user-error.ts';
import { groupOf, mayView } from '../discord/access/visibility.ts';
import { type Article, readArticle } from '../ranking/articles/articles.ts';
import { findLink, readTypedLink } from '../ranking/links/find-links.ts';
import { findByLink } from '../ranking/links/reservations.ts';
import { containsWords, folded } from '../ranking/lists/fold.ts';
import { walkList } from '../ranking/lists/ranked.ts';
import { readable } from './posting/forwarded.ts';
import { shownHost } from '../text/clean.ts';
import { titleLink } from '../text/title-link.ts';
import { askedOnce } from '../runtime/asked-once.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import type { Clock } from '../runtime/clock.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import type { Ranking } from '../ranking/ranking.ts';

/** Longer text cannot be a title or a link. */
const zTyped = z.string().max(4000).trim();
const messageAddress =
  /^<?https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/(\d{1,20})\/\d{1,20}\/(\d{1,20})>?$/;

/** The newest articles of a list that are searched for a title: an older one is found by its link. */
const TITLES_LOOKED_THROUGH = 2000;

/**
 * Finds an article by an id from completion, the address of its message, its link, or its exact title.
 * Null if there is none or the member may not view it.
 */
export async function findArticle(
  { ranking }: { ranking: Ranking },
  member: GuildMember,
  typed: unknown,
  /** The group where it was typed. Its articles are searched first. */
  here: Snowflake | null,
): Promise<Article | null> {
  const guild = member.guild.id;
  const text = zTyped.safeParse(typed).data ?? '';
  if (text === '') return null;
  const visible = (article: Article | null) =>
    article && mayView(member, article.home) ? article : null;
  const [, from = guild, id = text] = messageAddress.exec(text) ?? [];
  if (from === guild && zSnowflake.safeParse(id).success) {
    return visible(await readArticle(ranking, guild, id));
  }
  const link = readTypedLink(text);
  // A title can look like a link, too.
  const posted =
    link.status === 'accepted' ? await findByLink(ranking, guild, link.canonical) : null;
  if (posted !== null) return visible(await readArticle(ranking, guild, posted));
  const title = folded(text);
  for (const group of here === null ? [null] : [here, null]) {
    const list = { guild, group, order: 'time' } as const;
    for await (const articles of walkList(ranking, list, TITLES_LOOKED_THROUGH)) {
      const named = articles.find(
        (one) => folded(one.title) === title && mayView(member, one.home),
      );
      if (named) return named;
    }
  }
  return null;
}

type Unknown = 'article.unknown' | 'me.unknown';

/** The article of an option. Throws `unknown` also if the member may not view the article. */
export async function articleOption(
  interaction: GuildCommand,
  needs: { ranking: Ranking; clock: Clock },
  unknown: Unknown = 'article.unknown',
): Promise<Article> {
  const { member, channel, options } = interaction;
  const here = channel && groupOf(channel);
  const typed = options.get('article')?.value;
  const article = await findArticle(needs, member, typed, here?.id ?? null);
  if (!article) throw new UserError(unknown);
  return article;
}

/** The article of a message command: of the message itself, or of the link in it. */
export async function targetArticle(
  { member, targetMessage, targetId }: GuildMessageCommand,
  needs: { ranking: Ranking; clock: Clock },
): Promise<Article> {
  const own = await findArticle(needs, member, targetId, null);
  if (own) return own;
  // A forged command can contain no message.
  const message = targetMessage as typeof targetMessage | null;
  const content = message === null ? '' : readable(message).content;
  const link = findLink(content);
  const posted =
    link.status === 'accepted'
      ? await findByLink(needs.ranking, member.guild.id, link.canonical)
      : null;
  const linked = posted === null ? null : await findArticle(needs, member, posted, null);
  if (!linked) throw new UserError('article.unknown.here');
  return linked;
}

/** A spoiler has its site in place of its title. */
function choiceName(article: Article, locale: string): string {
  const { text, isSpoiler } = titleLink(article, { guild: '', locale });
  return isSpoiler ? `${text} · ${shownHost(new URL(article.link).host)}` : text;
}

/** The number of newest articles that are searched: as many as the process caches. */
const READ_AT_ONCE = 200;

/**
 * Finds articles by a part of their title, newest first: the guild's listed articles and those of the
 * group where the member types. It returns only articles that the member may view.
 */
export async function completeArticles(
  interaction: GuildCompletion,
  { lists }: { lists: TopLists },
  typed: string,
  isWanted: (article: Article) => boolean = () => true,
): Promise<Choice[]> {
  const { guildId: guild, member, channel } = interaction;
  const wanted = [folded(typed.trim())];
  const here = channel && groupOf(channel);
  const found = new Map<string, Article>();
  const isVisible = askedOnce((home: string) => mayView(member, home));
  const search = async (group: string | null): Promise<void> => {
    const list = { guild, group, order: 'time', page: 1, pageSize: READ_AT_ONCE } as const;
    for (const article of (await lists.page(list)).articles) {
      const { id, title, home } = article;
      if (isWanted(article) && containsWords(title, wanted) && isVisible(home)) {
        found.set(id, article);
      }
    }
  };
  if (here) await search(here.id);
  await search(null);
  return [...found.values()]
    .sort((a, b) => b.postedAtMs - a.postedAtMs)
    .map((article) => ({ name: choiceName(article, interaction.locale), value: article.id }));
}
