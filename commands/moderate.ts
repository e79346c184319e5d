import {
  ApplicationCommandType,
  type APIModalInteractionResponseCallbackData,
  PermissionFlagsBits,
} from 'discord.js';
import { z } from 'zod';
import {
  answerLock,
  answerRemove,
  answerRestore,
  answerRetitle,
} from '../src/admin/moderation/actions.ts';
import { demandModerator, type Moderating } from '../src/admin/moderation/rights.ts';
import type { App } from '../src/app.ts';
import { findArticle } from '../src/articles/find-article.ts';
import { targetArticle } from '../src/articles/lists/article-option.ts';
import { answer, openForm } from '../src/discord/interactions/answer.ts';
import { button, row } from '../src/discord/interactions/components.ts';
import { textInput } from '../src/discord/interactions/text-input.ts';
import type { Command } from '../src/discord/commands/command.ts';
import { parseArgs } from '../src/discord/commands/checked-options.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { UserError } from '../src/discord/user-error.ts';
import type { Article } from '../src/ranking/articles/articles.ts';
import { readRemoved } from '../src/ranking/articles/removed.ts';
import { type Snowflake, zSnowflake } from '../src/ranking/snowflake.ts';
import { MAX_TITLE_LENGTH, plainText } from '../src/text/clean.ts';
import { translate } from '../src/text/catalogue.ts';

const ACTIONS = ['remove', 'restore', 'lock', 'unlock', 'retitle'] as const;
type Action = (typeof ACTIONS)[number];
/** The custom id of a button or form is `moderate|<action>|<article>`. */
const zArgs = z.tuple([z.enum(ACTIONS), zSnowflake]);

/** A moderator's message command on an article: shows the possible actions as buttons. */
export default {
  data: {
    type: ApplicationCommandType.Message,
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    ...localizedName('command.moderate.name'),
  },

  async runOnMessage(interaction, app) {
    const { guildId, locale, targetId } = interaction;
    const removed = await readRemoved(app.ranking, guildId, targetId);
    if (removed) {
      demandModerator(interaction, removed.article, 'mod.removed.unknown');
      return answer(interaction, view(locale, removed.article, ['restore']));
    }
    const article = await targetArticle(interaction, app);
    demandModerator(interaction, article, 'article.unknown');
    const lock = article.locked ? 'unlock' : 'lock';
    const offered: Action[] = ['retitle', ...(article.closed ? [] : ([lock] as const)), 'remove'];
    await answer(interaction, view(locale, article, offered));
  },

  async component(interaction, args, app) {
    const [action, id] = parseArgs(zArgs, args);
    const act = { by: interaction.member, reason: '' };
    if (action === 'restore') return answerRestore(interaction, app, id, act);
    const article = await moderated(interaction, app, id);
    if (action === 'remove') return answerRemove(interaction, app, article, act);
    if (action === 'retitle') return openForm(interaction, form(interaction.locale, article));
    await answerLock(interaction, app, { article, locked: action === 'lock', act });
  },

  async form(interaction, args, app) {
    const [, id] = parseArgs(zArgs, args);
    const act = { by: interaction.member, reason: '' };
    const article = await moderated(interaction, app, id);
    const title = interaction.fields.getTextInputValue('title');
    await answerRetitle(interaction, app, { article, typed: title, act });
  },
} satisfies Command;

async function moderated(
  interaction: Moderating,
  app: Pick<App, 'ranking' | 'clock'>,
  id: Snowflake,
): Promise<Article> {
  const article = await findArticle(app, interaction.member, id, null);
  if (!article) throw new UserError('article.unknown');
  demandModerator(interaction, article, 'article.unknown');
  return article;
}

function view(locale: string, article: Article, offered: readonly Action[]) {
  return {
    content: translate(locale, 'moderate.what', { title: plainText(article.title, 200) }),
    components: [
      row(
        ...offered.map((action) => {
          const label = translate(locale, `moderate.${action}`);
          const style = action === 'remove' ? 'danger' : 'plain';
          return button(`moderate|${action}|${article.id}`, label, style);
        }),
      ),
    ],
  };
}

function form(locale: string, { id, title }: Article): APIModalInteractionResponseCallbackData {
  return {
    custom_id: `moderate|retitle|${id}`,
    title: translate(locale, 'moderate.retitle'),
    components: [
      textInput(translate(locale, 'moderate.title'), {
        custom_id: 'title',
        value: title,
        max_length: MAX_TITLE_LENGTH,
        required: true,
      }),
    ],
  };
}
