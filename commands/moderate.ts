import { ApplicationCommandType, PermissionFlagsBits } from 'discord.js';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { answerDone, requireModerator, type Moderating } from '../src/moderation/actions.ts';
import { linksOf } from '../src/moderation/links-of.ts';
import {
  type Also,
  offeredBesides,
  readRemovalForm,
  removalFields,
} from '../src/moderation/removal-form.ts';
import { mayModerateServer } from '../src/moderation/may-moderate.ts';
import type { Community } from '../src/community/community.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import { type Clock, zTimeMs } from '../src/runtime/clock.ts';
import type { BotCommand } from '../src/bot.ts';
import { findArticle, targetArticle } from '../src/articles/find-article.ts';
import { requirePermissions } from '../src/discord/access/permissions.ts';
import { GROUP_SELECT_TYPES, groupsOf, requireView } from '../src/discord/access/visibility.ts';
import { answer, openForm } from '../src/discord/interactions/answer.ts';
import { button, channelSelect, row, textInput } from '../src/discord/interactions/components.ts';
import type { GuildComponent } from '../src/discord/commands/command.ts';
import type { MemberNames } from '../src/discord/member-names.ts';
import { parseArgs, zIdOrNone } from '../src/discord/commands/checked-options.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { UserError } from '../src/discord/user-error.ts';
import { isGroup } from '../src/community/guild-rules.ts';
import { type Article, readArticle } from '../src/ranking/articles/articles.ts';
import { readRemoved } from '../src/ranking/articles/removed.ts';
import { type Snowflake, zSnowflake } from '../src/runtime/snowflake.ts';
import { limits } from '../src/discord/limits.ts';
import { MAX_TITLE_LENGTH, plainText, shortened } from '../src/text/clean.ts';
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
/** What a moderator does with all links of a poster. */
const OF_POSTER = ['links', 'remove-all'] as const;
/** What a moderator does about reports of an article. */
const OF_REPORTS = ['leave', 'reporters'] as const;
/** The custom id of a button, a select or a form is `moderate|<action>|<article>`, or one of these. */
const zArgs = z.union([
  z.tuple([z.enum(ACTIONS), zSnowflake]),
  z.tuple([z.enum([...OF_POSTER, ...OF_REPORTS]), zSnowflake]),
  // `moderate|undo|<time of the removal>|<poster it blocked>|<article whose site it blocked>`
  z.tuple([z.literal('undo'), z.coerce.number().pipe(zTimeMs), zIdOrNone, zIdOrNone]),
]);
const zFormArgs = z.union([
  z.tuple([z.enum(FORMS), zSnowflake]),
  z.tuple([z.literal('remove-all'), zSnowflake]),
]);

interface ModerateNeeds extends Community {
  /** Acts on articles, and reports it. */
  moderation: Moderation;
  /** What posters are called. */
  names: MemberNames;
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
    const parsed = parseArgs(zArgs, args);
    const [action, id] = parsed;
    if (action === 'undo') {
      const [, atMs, member, site] = parsed;
      return needs.moderation.undo(interaction, { atMs, member, site });
    }
    if (action === 'restore') return needs.moderation.restore(interaction, id);
    if (action === 'links') return answer(interaction, await linksOf(interaction, needs, id));
    if (action === 'remove-all')
      return openForm(interaction, await sweepForm(interaction, needs, id));
    if (action === 'reporters') {
      const removed = await readRemoved(needs.ranking, interaction.guildId, id);
      requireModerator(interaction, removed?.article ?? (await moderated(interaction, needs, id)));
      const { guildId, locale } = interaction;
      return answer(interaction, await needs.moderation.reporters(guildId, id, locale));
    }
    const article = await moderated(interaction, needs, id);
    switch (action) {
      case 'leave':
        await needs.moderation.leave(interaction.member, article);
        return answerDone(interaction, translate(interaction.locale, 'report.left'));
      case 'move':
        return needs.moderation.move(interaction, article, await chosenHome(interaction, needs));
      case 'remove':
        return openForm(interaction, await removalForm(interaction, needs, article));
      case 'retitle':
        return openForm(interaction, titleForm(interaction.locale, article));
      case 'lock':
      case 'unlock':
        return needs.moderation.lock(interaction, article, action === 'lock');
      default:
        return action satisfies never;
    }
  },

  async form(interaction, args, needs) {
    const [action, id] = parseArgs(zFormArgs, args);
    if (action === 'remove-all') {
      const wish = readRemovalForm(interaction);
      const [newest] = await needs.moderation.linksOf(interaction.member, id);
      if (newest === undefined) throw new UserError('mod.links.none');
      const also = new Set<Also>([...wish.also, 'others']);
      return needs.moderation.remove(interaction, newest, { ...wish, also });
    }
    const article = await moderated(interaction, needs, id);
    switch (action) {
      case 'retitle': {
        const typed = interaction.fields.getTextInputValue('text');
        return needs.moderation.retitle(interaction, article, typed);
      }
      case 'remove':
        return needs.moderation.remove(interaction, article, readRemovalForm(interaction));
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
  if (article) {
    requireModerator(interaction, article);
    return article;
  }
  const { guildId } = interaction;
  const removed = await readRemoved(needs.ranking, guildId, id);
  if (removed) {
    requireModerator(interaction, removed.article);
    throw new UserError('mod.removed.already');
  }
  // Somebody who may not view it does not hear of it.
  const isGone = (await readArticle(needs.ranking, guildId, id)) === null;
  if (!isGone) throw new UserError('article.unknown');
  await needs.moderation.noteGone(guildId, id);
  throw new UserError('article.gone');
}

async function chosenHome(interaction: GuildComponent, { rules }: Community) {
  const { guild, guildId, member } = interaction;
  const [chosen = ''] = interaction.isAnySelectMenu() ? interaction.values : [];
  const home = groupsOf(guild).find(({ id }) => id === chosen);
  if (!home) throw new UserError('channel.unknown');
  requireView(member, home.id);
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

function titleForm(locale: string, { id, title }: Article) {
  const input = { custom_id: 'text', value: title, max_length: MAX_TITLE_LENGTH, required: true };
  return {
    custom_id: `moderate|retitle|${id}`,
    title: translate(locale, 'moderate.retitle'),
    components: [textInput(translate(locale, 'moderate.title'), input)],
  };
}

const LOOK_MS = 1000;

async function removalForm(
  interaction: GuildComponent,
  { moderation, names }: ModerateNeeds,
  article: Article,
) {
  const { guildId, locale, member } = interaction;
  const { poster } = article;
  // A form can only be opened at once. In a server with very many articles it comes without their number.
  const [links, known] = await Promise.all([
    Promise.race([moderation.linksOf(member, poster), pause(LOOK_MS, [])]),
    names.soon(guildId, [poster]),
  ]);
  const others = links.filter(({ id }) => id !== article.id).length;
  const mayBlock = mayModerateServer(member);
  const name = known.get(poster);
  const offered = await offeredBesides(member, article, { mayBlock, name, others });
  return {
    custom_id: `moderate|remove|${article.id}`,
    title: translate(locale, 'moderate.remove'),
    components: removalFields(locale, offered),
  };
}

/** All links of a poster: there is no one site to block. */
async function sweepForm(
  { guildId, locale, member }: GuildComponent,
  { moderation, names }: ModerateNeeds,
  poster: Snowflake,
) {
  const [links, known] = await Promise.all([
    moderation.linksOf(member, poster),
    names.soon(guildId, [poster]),
  ]);
  const [newest] = links;
  if (newest === undefined) throw new UserError('mod.links.none');
  const mayBlock = mayModerateServer(member);
  const name = known.get(poster);
  const offered = await offeredBesides(member, newest, { mayBlock, name, others: 0 });
  offered.delete('site');
  return {
    custom_id: `moderate|remove-all|${poster}`,
    title: shortened(
      translate(locale, 'moderate.remove-all', { count: links.length }),
      limits.modalTitleLength,
    ),
    components: removalFields(locale, offered),
  };
}
