import { type APIEmbed, type GuildMember, Routes } from 'discord.js';
import { fault } from '../log.ts';
import { type Deed, recordDeed } from '../store/deeds.ts';
import { isSettingName } from '../store/settings.ts';
import { translate } from '../text/catalogue.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import type { Bot } from './bot.ts';
import { languageOfGuild } from './guild-rules.ts';
import { reasonText } from './may-post.ts';
import { code } from './title.ts';
import { isListed, mayView } from './visibility.ts';

const grey = 0x80848e;

/** Remembers a deed, so that it can be undone, and tells it in the guild's log channel. */
export async function logDeed(bot: Bot, guildId: Snowflake, deed: Deed): Promise<void> {
  await recordDeed(bot.store, guildId, deed);
  const rules = await bot.rules.read(guildId);
  const channel = rules.settings.log;
  if (channel === null) return;
  const guild = bot.client.guilds.cache.get(guildId);
  const locale = languageOfGuild(rules, guild);
  const home = deed.home === null ? undefined : guild?.channels.cache.get(deed.home);
  // Moderators who may not view a channel read no titles of it.
  const isOpen = deed.home === null || (home && !home.isThread() && isListed(home)) === true;
  const embed = deedEmbed(
    locale,
    isOpen ? deed : { ...deed, title: '', before: null, after: null },
  );
  try {
    await bot.client.rest.post(Routes.channelMessages(channel), {
      body: { embeds: [embed], allowed_mentions: { parse: [] } },
    });
  } catch (error) {
    // The doctor tells of it; a deed is not undone for want of a line about it.
    bot.log.warn(
      { ...fault(error), guild: guildId, channel },
      'The log channel cannot be written.',
    );
  }
}

function deedEmbed(locale: string | null, deed: Deed): APIEmbed {
  const lines = [deedLine(locale, deed)];
  const { before, after, reason, atMs } = deed;
  if (typeof before === 'string' && after !== null) {
    const [was, is] = [before, after].map((text) =>
      deed.what === 'move' ? `<#${text}>` : code(text),
    );
    lines.push(translate(locale, 'deed.change', { before: was ?? '', after: is ?? '' }));
  }
  if (reason !== '') lines.push(translate(locale, 'deed.reason', { reason: reasonText(reason) }));
  return {
    color: grey,
    description: lines.join('\n'),
    timestamp: new Date(atMs).toISOString(),
  };
}

/** A deed in one sentence, in which a member's text stands as code. */
export function deedLine(locale: string | null, deed: Deed): string {
  const by = `<@${deed.by}>`;
  if (deed.what === 'setting') {
    const name = deed.subject ?? '';
    const setting = isSettingName(name) ? translate(locale, `settings.${name}`) : code(name);
    return translate(locale, 'deed.setting', { by, setting });
  }
  const article = deed.title === '' ? `\`${deed.article ?? ''}\`` : code(deed.title);
  const subject = subjectText(deed.subject ?? '');
  return translate(locale, `deed.${deed.what}`, { by, article, subject });
}

export function subjectText(subject: string): string {
  const [kind, name] = [subject.split(':')[0], subject.slice(subject.indexOf(':') + 1)];
  return kind === 'member' ? `<@${name}>` : code(name);
}

export function mayRead(member: GuildMember, { home }: Deed): boolean {
  return home === null || mayView(member, home);
}
