import type { Guild } from 'discord.js';
import { digestData, type Subcommand } from '../src/digest/command/definition.ts';
import {
  describeDeleted,
  describeDigest,
  describeDigests,
} from '../src/digest/command/describe.ts';
import { readOptions, inspect } from '../src/digest/command/read-options.ts';
import { draftNow, postNow } from '../src/digest/post-now.ts';
import { type DigestParts, openDigestContext } from '../src/digest/posting/context.ts';
import { digestName, applyOptions } from '../src/digest/command/apply-options.ts';
import {
  cancelDigest,
  demandDigest,
  demandMayAdd,
  scheduleDigest,
} from '../src/digest/saved-digests.ts';
import { zoneChoices } from '../src/digest/schedule/time-zones.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import type { RecountParts } from '../src/recount/recount-parts.ts';
import type { App } from '../src/app.ts';
import type { Command, GuildCommand } from '../src/discord/commands/command.ts';
import { languageOfGuild } from '../src/records/settings.ts';
import { requireManager, requireMemberPermissions } from '../src/discord/access/permissions.ts';
import { code } from '../src/text/clean.ts';
import { messageLink, timestamp } from '../src/text/mentions.ts';
import { UserError } from '../src/discord/user-error.ts';
import { recountOpen } from '../src/recount/compare.ts';
import { readDigests } from '../src/records/digests/digests.ts';
import { DEFAULT_DIGEST } from '../src/records/digests/digest-settings.ts';
import { translate } from '../src/text/catalogue.ts';

type Run = (interaction: GuildCommand, app: App, name: string) => Promise<void>;

const subcommands: Record<Subcommand, Run> = { set, show, now, preview, off };

export default {
  data: digestData,

  async run(interaction, app) {
    requireManager(interaction);
    const name = digestName(interaction.options.getString('name') ?? DEFAULT_DIGEST);
    await subcommands[interaction.options.getSubcommand() as Subcommand](interaction, app, name);
  },

  async complete(interaction, app) {
    const { name, value } = interaction.options.getFocused(true);
    if (name === 'timezone') return zoneChoices(value, app.clock.now());
    const digests = await readDigests(app.store, interaction.guildId);
    return digests
      .filter((each) => each.name.includes(value.trim().toLowerCase()))
      .map((each) => ({ name: each.name, value: each.name }));
  },
} satisfies Command;

async function set(
  interaction: GuildCommand,
  app: Pick<App, 'store' | 'clock'>,
  name: string,
): Promise<void> {
  const { guildId, locale } = interaction;
  const all = await readDigests(app.store, guildId);
  const before = all.find((each) => each.name === name);
  if (!before) demandMayAdd(name, all);
  const digest = applyOptions(before?.digest ?? null, readOptions(interaction), {
    member: interaction.user.id,
    here: interaction.channelId,
    now: app.clock.now(),
  });
  const warning = inspect(interaction, digest);
  const stored = await scheduleDigest(app.store, guildId, name, digest);
  const content = [translate(locale, 'digest.saved', { name }), warning].filter(Boolean).join('\n');
  await answer(interaction, { content, embeds: [describeDigest(locale, stored)] });
}

/** One digest, or the list if there are several and none is named. */
async function show(
  interaction: GuildCommand,
  app: Pick<App, 'store'>,
  name: string,
): Promise<void> {
  const { guildId, locale, options } = interaction;
  const all = await readDigests(app.store, guildId);
  const isNamed = options.getString('name') !== null;
  if (!isNamed && all.length > 1) {
    return answer(interaction, { embeds: [describeDigests(locale, all)] });
  }
  const stored = all.find((each) => !isNamed || each.name === name);
  if (!stored) throw new UserError('digest.unknown', { name, shown: code(name) });
  await answer(interaction, { embeds: [describeDigest(locale, stored)] });
}

async function now(
  interaction: GuildCommand,
  app: DigestParts & RecountParts,
  name: string,
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  const context = openDigestContext(app, (of, articles) => recountOpen(app, of, { articles }));
  const stored = await demandDigest(app.store, guildId, name);
  if (!guild.channels.cache.has(stored.digest.channel)) {
    throw new UserError('digest.unposted', { reason: translate(locale, 'digest.broken.gone') });
  }
  inspect(interaction, stored.digest);
  const { draft, sinceMs } = await draftNow(
    context,
    guildId,
    stored,
    await guildLanguage(app, guild),
  );
  const occasion = interaction.id;
  const first = await postNow(context, { guild: guildId, stored, draft, occasion, locale });
  await answer(
    interaction,
    first === null
      ? translate(locale, 'digest.posted.nothing', { since: timestamp(sinceMs, 'f') })
      : translate(locale, 'digest.posted', {
          message: messageLink(guildId, { channel: stored.digest.channel, id: first }),
        }),
  );
}

async function preview(
  interaction: GuildCommand,
  app: DigestParts & Pick<App, 'rules'>,
  name: string,
): Promise<void> {
  const { guild, guildId, locale, member } = interaction;
  const stored = await demandDigest(app.store, guildId, name);
  // Articles of a private channel are only for members who may view it.
  const channel = guild.channels.cache.get(stored.digest.channel);
  if (channel) requireMemberPermissions(member, channel, ['ViewChannel']);
  const { draft, sinceMs } = await draftNow(
    openDigestContext(app),
    guildId,
    stored,
    await guildLanguage(app, guild),
  );
  if (draft.body === null) {
    const nothing = translate(locale, 'digest.preview.nothing', { since: timestamp(sinceMs, 'f') });
    return answer(interaction, nothing);
  }
  const { content, embeds } = draft.body;
  await answer(interaction, { content: content ?? '', embeds: embeds ?? [] });
}

async function off(
  interaction: GuildCommand,
  app: Pick<App, 'store'>,
  name: string,
): Promise<void> {
  const { guildId, locale } = interaction;
  const stored = await cancelDigest(app.store, guildId, name);
  await answer(interaction, {
    content: translate(locale, 'digest.deleted'),
    embeds: [describeDeleted(locale, stored)],
  });
}

async function guildLanguage({ rules }: Pick<App, 'rules'>, guild: Guild): Promise<string> {
  return languageOfGuild(await rules.read(guild.id), guild) ?? guild.preferredLocale;
}
