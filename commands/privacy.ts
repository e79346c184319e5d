import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  AttachmentBuilder,
  ButtonStyle,
  ComponentType,
  InteractionContextType,
} from 'discord.js';
import { z } from 'zod';
import { answer, turn } from '../src/discord/answer.ts';
import { COLOUR } from '../src/discord/article-pages.ts';
import { belongingsFile } from '../src/discord/belongings-file.ts';
import type { Bot } from '../src/discord/bot.ts';
import type { Command, DirectCommand, DirectComponent } from '../src/discord/command.ts';
import { eraseMember, finishErasing } from '../src/discord/erasing.ts';
import { UserError } from '../src/discord/user-error.ts';
import { words } from '../src/discord/words.ts';
import { readGuilds } from '../src/store/guilds.ts';
import { readLeftOut, setOptedOut } from '../src/store/opted-out.ts';
import { translate } from '../src/text/catalogue.ts';
import { eraseVotes } from '../src/voting/belongings.ts';

/** A button's custom id is `privacy|<what>`: the member it concerns is who presses it. */
const whats = ['export', 'erase', 'really', 'out', 'in'] as const;
type What = (typeof whats)[number];
const zArgs = z.tuple([z.enum(whats)]);

type Asked = DirectCommand | DirectComponent;

export default {
  data: {
    ...words('command.privacy'),
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
  },
  run: show,
  component: press,
  direct: { run: show, component: press },
} satisfies Command;

async function show(interaction: DirectCommand, bot: Bot): Promise<void> {
  await answer(interaction, await page(interaction, bot));
}

async function page({ guildId, user, locale }: Asked, { store }: Bot) {
  const scope = guildId === null ? 'everywhere' : 'here';
  const out = guildId !== null && (await readLeftOut(store, guildId)).optedOut.has(user.id);
  const offered: What[] = ['export', 'erase', ...(out ? [] : (['out'] as const))];
  if (out || guildId === null) offered.push('in');
  return {
    embeds: [
      {
        color: COLOUR,
        title: translate(locale, 'privacy.title'),
        description: [
          translate(locale, 'privacy.kept'),
          translate(locale, `privacy.scope.${scope}`),
          ...(out ? [translate(locale, 'privacy.out.state')] : []),
        ].join('\n\n'),
      },
    ],
    components: [buttons(locale, offered)],
  };
}

function buttons(
  locale: string,
  offered: readonly What[],
): APIActionRowComponent<APIButtonComponentWithCustomId> {
  return {
    type: ComponentType.ActionRow,
    components: offered.map((what) => ({
      type: ComponentType.Button,
      style: what === 'really' ? ButtonStyle.Danger : ButtonStyle.Secondary,
      label: translate(locale, `privacy.button.${what}`),
      custom_id: `privacy|${what}`,
    })),
  };
}

async function press(interaction: DirectComponent, args: string[], bot: Bot): Promise<void> {
  const parsed = zArgs.safeParse(args);
  if (!parsed.success) throw new UserError('stale');
  const [what] = parsed.data;
  const { guildId, locale, user } = interaction;
  // In direct messages all servers are meant.
  const guilds = guildId === null ? await everyGuild(bot) : [guildId];
  switch (what) {
    case 'export': {
      const file = await belongingsFile(bot, guilds, user.id);
      return answer(interaction, {
        content: translate(locale, 'privacy.exported'),
        files: [new AttachmentBuilder(file, { name: 'frontpage.json' })],
      });
    }
    case 'erase':
      return answer(interaction, {
        content: translate(locale, 'privacy.sure'),
        components: [buttons(locale, ['really'])],
      });
    case 'really':
      return erase(interaction, bot, guilds);
    case 'out':
    case 'in':
      for (const guild of guilds) await opt(bot, guild, user.id, what);
      if (guildId !== null) await turn(interaction, await page(interaction, bot));
      return answer(interaction, translate(locale, `privacy.opted.${what}`));
  }
}

/** The stored list is a derived one: a server that it lacks still holds what members may erase. */
async function everyGuild({ client, store }: Bot): Promise<string[]> {
  return [...new Set([...(await readGuilds(store)), ...client.guilds.cache.keys()])];
}

async function erase(
  interaction: DirectComponent,
  bot: Bot,
  guilds: readonly string[],
): Promise<void> {
  let posts = 0;
  let votes = 0;
  for (const guild of guilds) {
    const erased = await eraseMember(bot, guild, interaction.user.id);
    posts += erased.posts;
    votes += erased.votes.length;
    await bot.rules.refresh(guild);
    for (const article of erased.votes) bot.edits.note(guild, article);
  }
  const { locale } = interaction;
  await turn(interaction, {
    content: translate(locale, 'privacy.erased', { posts, votes }),
    components: [],
  });
  // Discord may make us wait; the articles are gone for everyone else by now.
  for (const guild of guilds) await finishErasing(bot, guild);
}

/** Whoever opts out takes the kept votes back; posts stay until they are erased. */
async function opt(bot: Bot, guild: string, member: string, what: 'out' | 'in'): Promise<void> {
  await setOptedOut(bot.store, guild, member, what === 'out');
  await bot.rules.refresh(guild);
  if (what === 'in') return;
  const votes = await eraseVotes(bot.ranking, guild, member, bot.clock.now());
  for (const article of votes) bot.edits.note(guild, article);
}
