import { ApplicationCommandType, PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';
import { requireModerator, type Moderating } from '../src/moderation/actions.ts';
import { MAX_REASON_LENGTH } from '../src/community/moderation-log.ts';
import type { Community } from '../src/community/community.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Clock } from '../src/runtime/clock.ts';
import type { BotCommand } from '../src/bot.ts';
import { findArticle, targetArticle } from '../src/articles/find-article.ts';
import { requirePermissions } from '../src/discord/access/permissions.ts';
import { GROUP_SELECT_TYPES, groupsOf, mayView } from '../src/discord/access/visibility.ts';
import { answer, openForm } from '../src/discord/interactions/answer.ts';
import { button, channelSelect, row, textInput } from '../src/discord/interactions/components.ts';
import type { GuildComponent } from '../src/discord/commands/command.ts';
import { parseArgs } from '../src/discord/commands/checked-options.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { UserError } from '../src/discord/user-error.ts';
import { isGroup } from '../src/community/guild-rules.ts';
import type { Article } from '../src/ranking/articles/articles.ts';
import { readRemoved } from '../src/ranking/articles/removed.ts';
import { type Snowflake, zSnowflake } from '../src/runtime/snowflake.ts';
import { cleanLine, MAX_TITLE_LENGTH, plainText } from '../src/text/clean.ts';
import { translate } from '../src/text/catalogue.ts';

/** The buttons of an article that stands, in their order, and on which articles each is offered. */
const isOffered = {
  retitle: () => true,
  lock: ({ closed, locked }) => !closed && !locked,
  unlock: ({ closed, locked }) => !closed && locked,
  remove: () => true,
} as const satisfies Record<string, (article: Article) => boolean>;
type Offered = keyof typeof isOffered;
const BUTTONS = Object.keys(isOffered) as [Offered, ...Offered[]];
/** A removed article has one button, and a select moves one that stands. */
const ACTIONS = [...BUTTONS, 'restore', 'move'] as const;
type Action = (typeof ACTIONS)[number];
/** These ask for a text first. */
const FORMS = ['retitle', 'remove'] as const satisfies readonly Action[];
/** The custom id of a button, a select or a form is `moderate|<action>|<article>`. */
const zArgs = z.tuple([z.enum(ACTIONS), zSnowflake]);
const zFormArgs = z.tuple([z.enum(FORMS), zSnowflake]);

interface ModerateNeeds extends Community {
  /** Acts on articles, and reports it. */
  moderation: Moderation;
  /** Where the article is, or stands as removed. */
  ranking: Ranking;
  /** Discord's time. */
  clock: Clock;
}

/** A moderator's message command on an article: shows the possible actions. */
export default {
  data: {
    type: ApplicationCommandType.Message,
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    ...localizedName('command.moderate.name'),
  },

  async runOnMessage(interaction, needs) {
    const { guildId, locale, targetId } = interaction;
    const removed = await readRemoved(needs.ranking, guildId, targetId);
    if (removed) {
      requireModerator(interaction, removed.article);
      return answer(interaction, view(locale, removed.article, ['restore']));
    }
    const article = await targetArticle(interaction, needs);
    requireModerator(interaction, article);
    const offered = BUTTONS.filter((action) => isOffered[action](article));
    const shown = view(locale, article, offered);
    const select = channelSelect(
      { custom_id: `moderate|move|${article.id}`, placeholder: translate(locale, 'moderate.move') },
      GROUP_SELECT_TYPES,
      [],
      { isOne: true },
    );
    await answer(interaction, { ...shown, components: [...shown.components, select] });
  },

  async component(interaction, args, needs) {
    const [action, id] = parseArgs(zArgs, args);
    if (action === 'restore') return needs.moderation.restore(interaction, id);
    const article = await moderated(interaction, needs, id);
    switch (action) {
      case 'move':
        return needs.moderation.move(interaction, article, await chosenHome(interaction, needs));
      case 'remove':
      case 'retitle':
        return openForm(interaction, form(interaction.locale, action, article));
      case 'lock':
      case 'unlock':
        return needs.moderation.lock(interaction, article, action === 'lock');
      default:
        return action satisfies never;
    }
  },

  async form(interaction, args, needs) {
    const [action, id] = parseArgs(zFormArgs, args);
    const article = await moderated(interaction, needs, id);
    const typed = interaction.fields.getTextInputValue('text');
    switch (action) {
      case 'retitle':
        return needs.moderation.retitle(interaction, article, typed);
      case 'remove': {
        const reason = cleanLine(typed, MAX_REASON_LENGTH);
        return needs.moderation.remove(interaction, article, { reason });
      }
      default:
        return action satisfies never;
    }
  },
} satisfies BotCommand<ModerateNeeds>;

async function moderated(
  interaction: Moderating,
  needs: ModerateNeeds,
  id: Snowflake,
): Promise<Article> {
  const article = await findArticle(needs, interaction.member, id, null);
  if (!article) throw new UserError('article.unknown');
  requireModerator(interaction, article);
  return article;
}

async function chosenHome(interaction: GuildComponent, { rules }: Community) {
  const { guild, guildId, member } = interaction;
  const [chosen = ''] = interaction.isAnySelectMenu() ? interaction.values : [];
  const home = groupsOf(guild).find(({ id }) => id === chosen);
  if (!home || !mayView(member, home.id)) throw new UserError('channel.unknown');
  requirePermissions(home, ['ManageMessages'], member);
  const { settings } = await rules.read(guildId);
  if (!isGroup(settings, home.id)) {
    throw new UserError('channel.no-group', { channel: `<#${home.id}>` });
  }
  return home;
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

/** The form for a new title, or for the reason of a removal. */
function form(locale: string, action: (typeof FORMS)[number], { id, title }: Article) {
  const [label, input] =
    action === 'retitle'
      ? (['title', { value: title, max_length: MAX_TITLE_LENGTH, required: true }] as const)
      : (['reason', { max_length: MAX_REASON_LENGTH, required: false }] as const);
  return {
    custom_id: `moderate|${action}|${id}`,
    title: translate(locale, `moderate.${action}`),
    components: [
      textInput(translate(locale, `moderate.${label}`), { custom_id: 'text', ...input }),
    ],
  };
}
