import type { App } from '../../app.ts';
import type { GuildCommand, GuildMessageCommand } from '../../discord/commands/command.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { findLink } from '../../ranking/links/find.ts';
import { findArticle } from '../find-article.ts';

type Unknown = 'article.unknown' | 'me.unknown';

/** The article of an option. Throws `unknown` also if the member may not view the article. */
export async function articleOption(
  interaction: GuildCommand,
  app: Pick<App, 'ranking' | 'clock'>,
  unknown: Unknown = 'article.unknown',
): Promise<Article> {
  const { member, channel, options } = interaction;
  const here = channel && groupOf(channel);
  const article = await findArticle(
    app,
    member,
    options.get('article')?.value,
    here ? here.id : null,
  );
  if (!article) throw new UserError(unknown);
  return article;
}

/** The article of a message command: of the message itself, or of the link in it. */
export async function targetArticle(
  { member, targetMessage, targetId }: GuildMessageCommand,
  app: Pick<App, 'ranking' | 'clock'>,
): Promise<Article> {
  const own = await findArticle(app, member, targetId, null);
  if (own) return own;
  // A forged command can contain no message.
  const content = (targetMessage as typeof targetMessage | null)?.content ?? '';
  const link = findLink(content);
  const linked = link.status === 'found' ? await findArticle(app, member, link.href, null) : null;
  if (!linked) throw new UserError('article.unknown.here');
  return linked;
}
