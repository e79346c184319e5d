import { AttachmentBuilder, InteractionContextType } from 'discord.js';
import { z } from 'zod';
import type { Personal } from '../src/personal/personal.ts';
import { ownArticleForm, ownArticleView } from '../src/personal/own-articles.ts';
import { mutedText, SAVED_WORDS_AT_MOST, wordsFrom } from '../src/personal/personal-pages.ts';
import { type Mute, zMute } from '../src/personal/stored-personal.ts';
import { textInput } from '../src/discord/interactions/components.ts';
import { parseArgs, zIdOrNone } from '../src/discord/commands/checked-options.ts';
import { siteHost } from '../src/ranking/links/canonical.ts';
import { type Snowflake, zSnowflake } from '../src/runtime/snowflake.ts';
import { answer, openForm, updateMessage } from '../src/discord/interactions/answer.ts';
import { type ArticlePageNeeds, TURNS, zPage } from '../src/articles/lists/article-page.ts';
import { mayView, requireView } from '../src/discord/access/visibility.ts';
import type { BotCommand } from '../src/bot.ts';
import type { GuildCommand, GuildComponent, GuildForm } from '../src/discord/commands/command.ts';
import { articleOption, completeArticles } from '../src/articles/find-article.ts';
import { cleanLine, cleanTitle, MAX_TITLE_LENGTH } from '../src/text/clean.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  completedOption,
  localized,
  subcommand,
  textOption,
} from '../src/discord/commands/localized.ts';
import { requireWalk } from '../src/community/member-limits.ts';
import { translate } from '../src/text/catalogue.ts';
import type { Community } from '../src/community/community.ts';
import type { History } from '../src/history/history.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import type { Privacy } from '../src/privacy/privacy.ts';
import type { TopLists } from '../src/ranking/lists/top-lists.ts';
import { type Article, readArticle } from '../src/ranking/articles/articles.ts';

/** `me|<turn>|<page>`; the other buttons are those of `/me data`. */
const zTurn = z.tuple([z.enum(TURNS), zPage]);
/** `me|new|<what>|<since>|<group>|<page>`. */
const zNew = z.tuple([
  z.literal('new'),
  z.enum([...TURNS, 'open', 'keep']),
  zIdOrNone,
  zIdOrNone,
  zPage,
]);
/** `me|saved|<what>|<page>|<words>`. */
const zSaved = z.tuple([
  z.literal('saved'),
  z.enum([...TURNS, 'drop', 'file', 'tidy', 'hidden']),
  zPage,
  // Buttons of an older version have no words.
  z.string().default('').transform(wordsFrom),
]);
/** `me|save|<article>`: the button under *Why this rank?*. */
const zSave = z.tuple([z.literal('save'), zSnowflake]);
/** `me|own|<what>|<article>`: what its poster does with an article; a select names it. */
const zOwn = z.union([
  z.tuple([z.literal('own'), z.literal('pick')]),
  z.tuple([z.literal('own'), z.enum(['retitle', 'comment', 'remove']), zSnowflake]),
]);
const zOwnForm = z.tuple([z.literal('own'), z.enum(['retitle', 'comment']), zSnowflake]);
/** `me|muted|<what>|<page>`. Lists of an earlier version have no pages. */
const zMuted = z.tuple([z.literal('muted'), z.enum([...TURNS, 'lift', 'word']), zPage.default(1)]);
/** `me|mute|<article>`: the select under *Why this rank?*. */
const zMuteOf = z.tuple([z.literal('mute'), zSnowflake]);

const article = completedOption('command.me.option.article');

interface MeNeeds extends ArticlePageNeeds, Community, History {
  /** Completes the article while it is typed. */
  lists: TopLists;
  /** Retitles and removes members' own articles. */
  moderation: Moderation;
  /** What the member keeps for themself. */
  personal: Personal;
  /** What is stored about the member. */
  privacy: Privacy;
}

export default {
  /** Erasing and opting out are everybody's right. */
  reads: (interaction) =>
    interaction.isChatInputCommand()
      ? !['retitle', 'remove'].includes(interaction.options.getSubcommand(false) ?? '')
      : !('customId' in interaction && /^me\|own\|(?!pick)/.test(interaction.customId)),
  data: {
    ...localized('command.me'),
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    options: [
      subcommand('command.me.new'),
      subcommand('command.me.articles'),
      subcommand('command.me.saved', [
        textOption('command.me.option.words', { max_length: SAVED_WORDS_AT_MOST }),
      ]),
      subcommand('command.me.muted'),
      subcommand('command.me.retitle', [
        article,
        textOption('command.me.option.title', { required: true, max_length: MAX_TITLE_LENGTH }),
      ]),
      subcommand('command.me.remove', [article]),
      subcommand('command.me.data'),
    ],
  },

  async run(interaction, needs) {
    switch (interaction.options.getSubcommand()) {
      case 'new':
        requireWalk(needs, interaction.guildId, interaction.user.id);
        return answer(
          interaction,
          await needs.personal.newForMe(interaction, { since: null, group: null, page: 1 }),
        );
      case 'saved':
        return answer(
          interaction,
          await needs.personal.savedPage(interaction, {
            page: 1,
            words: cleanLine(interaction.options.getString('words') ?? '', SAVED_WORDS_AT_MOST),
          }),
        );
      case 'muted':
        return answer(interaction, await needs.personal.mutedPage(interaction, 1));
      case 'articles':
        return answer(interaction, await ownArticles(interaction, needs, 1));
      case 'retitle': {
        const title = interaction.options.getString('title', true);
        return needs.moderation.retitle(interaction, await ownArticle(interaction, needs), title);
      }
      case 'remove':
        return needs.moderation.remove(interaction, await ownArticle(interaction, needs), {
          own: true,
        });
      case 'data':
        return answer(interaction, await needs.privacy.page(interaction));
      default:
        throw new UserError('stale');
    }
  },

  async complete(interaction, needs) {
    const { name, value } = interaction.options.getFocused(true);
    if (name !== 'article') return [];
    const isOwn = ({ poster }: Article) => poster === interaction.user.id;
    return completeArticles(interaction, needs, value, isOwn);
  },

  async component(interaction, args, needs) {
    switch (args[0]) {
      case 'own':
        return pressOwn(interaction, parseArgs(zOwn, args), needs);
      case 'new':
        return pressNew(interaction, parseArgs(zNew, args), needs);
      case 'saved':
        return pressSaved(interaction, parseArgs(zSaved, args), needs);
      case 'save':
        return saveChosen(interaction, parseArgs(zSave, args)[1], needs);
      case 'muted':
        return pressMuted(interaction, parseArgs(zMuted, args), needs);
      case 'mute':
        return muteChosen(interaction, parseArgs(zMuteOf, args)[1], needs);
      default:
        break;
    }
    const turned = zTurn.safeParse(args);
    if (!turned.success) return needs.privacy.press(interaction, args);
    await updateMessage(interaction, await ownArticles(interaction, needs, turned.data[1]));
  },

  /** The form of a word to mute, or of an article's new title or comment. */
  async form(interaction, args, needs) {
    if (args[0] === 'own') {
      const [, what, id] = parseArgs(zOwnForm, args);
      const own = await requireOwn(interaction, needs, id);
      const typed = interaction.fields.getTextInputValue('text');
      return needs.moderation[what](interaction, own, typed);
    }
    const word = cleanTitle(interaction.fields.getTextInputValue('word'));
    const read = zMute.safeParse({ kind: 'word', value: word });
    if (!read.success) throw new UserError('personal.mute.word.none');
    await muteAndSay(interaction, read.data, needs);
  },

  /** In direct messages, `/me data` is about all servers. */
  direct: {
    async run(interaction, needs) {
      if (interaction.options.getSubcommand() !== 'data') throw new UserError('guild.only');
      await answer(interaction, await needs.privacy.page(interaction));
    },
    component: (interaction, args, needs) => needs.privacy.press(interaction, args),
  },
} satisfies BotCommand<MeNeeds>;

async function pressNew(
  interaction: GuildComponent,
  [, what, since, group, page]: z.output<typeof zNew>,
  needs: MeNeeds,
): Promise<void> {
  const { guildId, user, locale } = interaction;
  if (group !== null) requireView(interaction.member, group);
  if (what === 'keep') {
    if (since !== null) await needs.personal.keepAsNew(guildId, user.id, since);
    return answer(interaction, translate(locale, 'personal.new.kept'));
  }
  requireWalk(needs, guildId, user.id);
  const shown = await needs.personal.newForMe(interaction, { since, group, page });
  // A board is for all, so its buttons answer their reader alone.
  await (what === 'open' ? answer(interaction, shown) : updateMessage(interaction, shown));
}

async function pressOwn(
  interaction: GuildComponent,
  [, what, named]: z.output<typeof zOwn>,
  needs: MeNeeds,
): Promise<void> {
  const chosen = interaction.isStringSelectMenu() ? interaction.values[0] : undefined;
  const own = await requireOwn(interaction, needs, named ?? chosen ?? '');
  const { locale } = interaction;
  switch (what) {
    case 'pick':
      return answer(interaction, ownArticleView(locale, own));
    case 'remove':
      return needs.moderation.remove(interaction, own, { own: true });
    case 'retitle':
    case 'comment':
      return openForm(interaction, ownArticleForm(locale, what, own));
    default:
      return what satisfies never;
  }
}

/** Throws `me.unknown` for another member's article, and for one that the member may no longer view. */
async function requireOwn(
  { guildId, member, user }: GuildComponent | GuildForm,
  { ranking }: MeNeeds,
  id: string,
): Promise<Article> {
  const found = zSnowflake.safeParse(id).success ? await readArticle(ranking, guildId, id) : null;
  const isTheirs = found !== null && found.poster === user.id && mayView(member, found.home);
  if (!isTheirs) throw new UserError('me.unknown');
  return found;
}

async function pressSaved(
  interaction: GuildComponent,
  [, what, page, words]: z.output<typeof zSaved>,
  needs: MeNeeds,
): Promise<void> {
  const { guildId, user, locale } = interaction;
  if (what === 'file') {
    const file = await needs.personal.bookmarks(interaction);
    const files = [new AttachmentBuilder(Buffer.from(file), { name: 'bookmarks.html' })];
    return answer(interaction, { content: translate(locale, 'personal.saved.filed'), files });
  }
  const [dropped] = interaction.isStringSelectMenu() ? interaction.values : [];
  if (what === 'tidy') await needs.personal.unsaveUnseen(interaction, 'gone');
  if (what === 'hidden') await needs.personal.unsaveUnseen(interaction, 'hidden');
  if (dropped !== undefined) await needs.personal.unsave(guildId, user.id, dropped);
  await updateMessage(interaction, await needs.personal.savedPage(interaction, { page, words }));
}

async function pressMuted(
  interaction: GuildComponent,
  [, what, page]: z.output<typeof zMuted>,
  needs: MeNeeds,
): Promise<void> {
  const { guildId, user, locale } = interaction;
  if (what === 'word') {
    const label = translate(locale, 'personal.mute.word');
    const input = textInput(label, { custom_id: 'word', max_length: 50, required: true });
    const title = translate(locale, 'personal.mute.word.button');
    return openForm(interaction, { custom_id: 'me|word', title, components: [input] });
  }
  const [chosen] = interaction.isStringSelectMenu() ? interaction.values : [];
  if (chosen !== undefined) await needs.personal.unmute(guildId, user.id, chosen);
  await updateMessage(interaction, await needs.personal.mutedPage(interaction, page));
}

/** The article, if the member may view it. */
async function requireSeen(
  { guildId, member }: GuildComponent,
  id: Snowflake,
  { ranking }: MeNeeds,
): Promise<Article> {
  const found = await readArticle(ranking, guildId, id);
  if (found === null) throw new UserError('article.unknown');
  requireView(member, found.home);
  return found;
}

/** Saves the article under *Why this rank?*. */
async function saveChosen(
  interaction: GuildComponent,
  id: Snowflake,
  needs: MeNeeds,
): Promise<void> {
  const { guildId, user, locale } = interaction;
  await requireSeen(interaction, id, needs);
  const status = await needs.personal.save(guildId, user.id, id);
  await answer(interaction, translate(locale, `personal.save.${status}`));
}

/** What the select under *Why this rank?* says of the article. */
async function muteChosen(
  interaction: GuildComponent,
  id: Snowflake,
  needs: MeNeeds,
): Promise<void> {
  const [kind] = interaction.isStringSelectMenu() ? interaction.values : [];
  const found = await requireSeen(interaction, id, needs);
  const value = kind === 'poster' ? found.poster : siteHost(new URL(found.link));
  const wanted = zMute.safeParse({ kind, value });
  if (!wanted.success) throw new UserError('stale');
  await muteAndSay(interaction, wanted.data, needs);
}

async function muteAndSay(
  interaction: GuildComponent | GuildForm,
  wanted: Mute,
  { personal }: MeNeeds,
): Promise<void> {
  const { guildId, user, locale } = interaction;
  const status = await personal.mute(guildId, user.id, wanted);
  await answer(
    interaction,
    translate(locale, `personal.mute.${status}`, { what: mutedText(locale, wanted) }),
  );
}

async function ownArticles(
  interaction: GuildCommand | GuildComponent,
  needs: MeNeeds,
  page: number,
) {
  requireWalk(needs, interaction.guildId, interaction.user.id);
  return needs.personal.ownArticles(interaction, page);
}

/** Throws `me.unknown` for another member's article and for one that the member may no longer view. */
async function ownArticle(interaction: GuildCommand, needs: MeNeeds): Promise<Article> {
  // A title is searched among many articles.
  requireWalk(needs, interaction.guildId, interaction.user.id);
  const found = await articleOption(interaction, needs, 'me.unknown');
  if (found.poster !== interaction.user.id) throw new UserError('me.unknown');
  return found;
}
