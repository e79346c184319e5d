import type { Guild } from 'discord.js';
import { announceInteresting } from '../src/digest/announcements.ts';
import { digestData, type Subcommand } from '../src/digest/command-data.ts';
import { describeEdition, describeEditions, nextText } from '../src/digest/describe.ts';
import { givenSettings, inspect, inspectChannel } from '../src/digest/given.ts';
import { demandEdition, draftNow, postNow } from '../src/digest/out-of-turn.ts';
import { attentionAtMs } from '../src/digest/period.ts';
import { openPress } from '../src/digest/press.ts';
import { demandVisible, editionName, revised } from '../src/digest/revise.ts';
import { previousSlot } from '../src/digest/schedule.ts';
import { zoneChoices } from '../src/digest/zones.ts';
import { answer } from '../src/discord/answer.ts';
import type { Bot } from '../src/discord/bot.ts';
import type { Command, GuildCommand } from '../src/discord/command.ts';
import { languageOfGuild } from '../src/discord/guild-rules.ts';
import { demandOfMember } from '../src/discord/permissions.ts';
import { code } from '../src/discord/title.ts';
import { demandManager } from '../src/discord/manager.ts';
import { UserError } from '../src/discord/user-error.ts';
import { recountById } from '../src/recount/guild.ts';
import {
  deleteEdition,
  readEditions,
  saveEdition,
  type StoredEdition,
} from '../src/store/digests.ts';
import { setDue } from '../src/store/due.ts';
import { DEFAULT_EDITION, type Edition, EDITIONS_PER_GUILD } from '../src/store/edition.ts';
import { readSettings, writeSetting } from '../src/store/settings.ts';
import { translate } from '../src/text/catalogue.ts';

type Run = (interaction: GuildCommand, bot: Bot, name: string) => Promise<void>;

const subcommands: Record<Subcommand, Run> = {
  set,
  show,
  list,
  now,
  preview,
  pause,
  resume,
  off,
  interesting,
};

export default {
  data: digestData,
  readOnly: ['show', 'list', 'preview'],

  async run(interaction, bot) {
    demandManager(interaction, 'digest.forbidden');
    const name = editionName(interaction.options.getString('name') ?? DEFAULT_EDITION);
    await subcommands[interaction.options.getSubcommand() as Subcommand](interaction, bot, name);
  },

  async complete(interaction, bot) {
    const { name, value } = interaction.options.getFocused(true);
    if (name === 'timezone') return zoneChoices(value, bot.clock.now());
    const editions = await readEditions(bot.store, interaction.guildId);
    return editions
      .filter((each) => each.name.includes(value.trim().toLowerCase()))
      .map((each) => ({ name: each.name, value: each.name }));
  },
} satisfies Command;

async function set(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const { guildId, locale } = interaction;
  const all = await readEditions(bot.store, guildId);
  const before = all.find((each) => each.name === name);
  if (!before) demandVisible(name);
  if (!before && all.length >= EDITIONS_PER_GUILD) {
    throw new UserError('digest.crowded', { most: EDITIONS_PER_GUILD });
  }
  const edition = revised(before?.edition ?? null, givenSettings(interaction), {
    member: interaction.user.id,
    here: interaction.channelId,
    now: bot.clock.now(),
  });
  const warning = inspect(interaction, edition);
  const stored = await save(bot, guildId, name, edition);
  const content = [translate(locale, 'digest.saved', { name }), warning].filter(Boolean).join('\n');
  await answer(interaction, { content, embeds: [describeEdition(locale, stored)] });
}

async function show(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const all = await readEditions(bot.store, interaction.guildId);
  const stored = all.find((each) => each.name === name);
  const isNamed = interaction.options.getString('name') !== null;
  if (!stored && !isNamed && all.length > 0) return list(interaction, bot);
  if (!stored) throw new UserError('digest.unknown', { name: code(name) });
  await answer(interaction, { embeds: [describeEdition(interaction.locale, stored)] });
}

async function list(interaction: GuildCommand, bot: Bot): Promise<void> {
  const all = await readEditions(bot.store, interaction.guildId);
  if (all.length === 0) throw new UserError('digest.none');
  await answer(interaction, { embeds: [describeEditions(interaction.locale, all)] });
}

/** Announces each article once, when it becomes interesting. */
async function interesting(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale, options } = interaction;
  const given = options.getChannel('channel')?.id ?? null;
  const stop = options.getBoolean('stop') === true;
  const warning = given === null || stop ? null : inspectChannel(interaction, given, false);
  if (stop || given !== null) {
    await writeSetting(bot.store, guildId, 'announcements', stop ? null : given);
    // At once, so that from now on everything that becomes interesting is news.
    await announceInteresting(openPress(bot), guildId);
  }
  const { announcements, mark } = await readSettings(bot.store, guildId);
  const state =
    announcements === null
      ? translate(locale, 'announcement.off')
      : translate(locale, 'announcement.on', { channel: `<#${announcements}>`, mark });
  await answer(interaction, [state, warning].filter(Boolean).join('\n'));
}

async function now(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const { guild, guildId, locale } = interaction;
  const press = openPress(bot, (of, articles) => recountById(bot, of, articles));
  const stored = await demandEdition(bot, guildId, name);
  if (!guild.channels.cache.has(stored.edition.channel)) {
    throw new UserError('digest.unposted', { reason: translate(locale, 'digest.broken.gone') });
  }
  inspect(interaction, stored.edition);
  const { draft, sinceMs } = await draftNow(press, guildId, stored, await languageOf(bot, guild));
  const occasion = interaction.id;
  const first = await postNow(press, { guild: guildId, stored, draft, occasion, locale });
  const link = `https://discord.com/channels/${guildId}/${stored.edition.channel}/${first}`;
  await answer(
    interaction,
    first === null
      ? translate(locale, 'digest.posted.nothing', { since: time(sinceMs) })
      : translate(locale, 'digest.posted', { message: link }),
  );
}

async function preview(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const { guild, guildId, locale, member } = interaction;
  const stored = await demandEdition(bot, guildId, name);
  // What is posted in a private channel is for those who may view it.
  const channel = guild.channels.cache.get(stored.edition.channel);
  if (channel) demandOfMember(member, channel, ['ViewChannel']);
  const { draft, sinceMs } = await draftNow(
    openPress(bot),
    guildId,
    stored,
    await languageOf(bot, guild),
  );
  if (draft.pages.length === 0) {
    await answer(
      interaction,
      translate(locale, 'digest.preview.nothing', { since: time(sinceMs) }),
    );
  }
  for (const { content, embeds } of draft.pages) {
    await answer(interaction, { content: content ?? '', embeds: embeds ?? [] });
  }
}

async function pause(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const { guildId, locale } = interaction;
  const { edition } = await demandEdition(bot, guildId, name);
  await save(bot, guildId, name, { ...edition, paused: true });
  const key = edition.paused ? 'digest.paused.already' : 'digest.paused';
  await answer(interaction, translate(locale, key, { name }));
}

/** Neither the slots of the pause nor their articles are made up for. */
async function resume(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const { guildId, locale } = interaction;
  const stored = await demandEdition(bot, guildId, name);
  const { edition } = stored;
  const at = bot.clock.now();
  const sinceFloorMs = previousSlot(edition.schedule, at).atMs;
  const times = { slotsFromMs: at, savedAtMs: at, sinceFloorMs };
  const resumed = edition.paused
    ? await save(bot, guildId, name, { ...edition, ...times, paused: false })
    : stored;
  const key = edition.paused ? 'digest.resumed' : 'digest.resumed.already';
  await answer(interaction, translate(locale, key, { name, next: nextText(locale, resumed) }));
}

async function off(interaction: GuildCommand, bot: Bot, name: string): Promise<void> {
  const { guildId, locale } = interaction;
  const { status } = await deleteEdition(bot.store, guildId, name);
  await setDue(bot.store, guildId, name, null);
  if (status === 'unknown') throw new UserError('digest.unknown', { name: code(name) });
  await answer(interaction, translate(locale, 'digest.deleted', { name }));
}

async function save(
  bot: Bot,
  guild: string,
  name: string,
  edition: Edition,
): Promise<StoredEdition> {
  await saveEdition(bot.store, guild, name, edition);
  const stored = await demandEdition(bot, guild, name);
  await setDue(bot.store, guild, name, attentionAtMs(stored.edition, stored.run));
  return stored;
}

function time(atMs: number): string {
  return `<t:${Math.floor(atMs / 1000)}:f>`;
}

async function languageOf({ rules }: Bot, guild: Guild): Promise<string> {
  return languageOfGuild(await rules.read(guild.id), guild) ?? guild.preferredLocale;
}
