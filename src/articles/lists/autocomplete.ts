import type { Article } from '../../ranking/articles/articles.ts';
import type { App } from '../../app.ts';
import type { Choice, GuildCompletion } from '../../discord/commands/command.ts';
import { groupOf, mayView } from '../../discord/access/visibility.ts';

/** The number of newest articles that are searched: as many as the process caches. */
const READ_AT_ONCE = 200;

/**
 * Finds articles by a part of their title, newest first: the guild's listed articles and those of the
 * group where the member types. It returns only articles that the member may view.
 */
export async function completeArticles(
  interaction: GuildCompletion,
  { lists }: Pick<App, 'lists'>,
  typed: string,
  isWanted: (article: Article) => boolean = () => true,
): Promise<Choice[]> {
  const { guildId: guild, member, channel } = interaction;
  const wanted = typed.trim().toLocaleLowerCase();
  const here = channel && groupOf(channel);
  const found = new Map<string, Article>();
  const search = async (group: string | null): Promise<void> => {
    const list = { guild, group, order: 'time', page: 1, pageSize: READ_AT_ONCE } as const;
    for (const article of (await lists.page(list)).articles) {
      const { id, title, home } = article;
      if (
        title.toLocaleLowerCase().includes(wanted) &&
        mayView(member, home) &&
        isWanted(article)
      ) {
        found.set(id, article);
      }
    }
  };
  if (here && mayView(member, here.id)) await search(here.id);
  await search(null);
  return [...found.values()]
    .sort((a, b) => b.postedAtMs - a.postedAtMs)
    .map(({ id, title }) => ({ name: title, value: id }));
}
