import {
  applyOptions,
  digestName,
  isOfItsChannel,
  ofItsChannel,
  scheduleDigest,
} from '../src/digests/command/apply-options.ts';
import { describeDigest, describeDigests } from '../src/digests/command/describe.ts';
import { nothingText } from '../src/digests/command/can-hold.ts';
import { postEditionNow, requireThere } from '../src/digests/command/edition-now.ts';
import {
  digestData,
  inspect,
  readOptions,
  type Subcommand,
} from '../src/digests/command/options.ts';
import {
  DIGEST_SCREENS,
  isDigestPick,
  moreRow,
  pickedOptions,
  screenOf,
  screenRows,
} from '../src/digests/command/more.ts';
import type { Digests } from '../src/digests/digests.ts';
import type { Due } from '../src/due/due.ts';
import { zoneChoices } from '../src/digests/schedule/time-zones.ts';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import { button, row } from '../src/discord/interactions/components.ts';
import { isListed } from '../src/discord/access/visibility.ts';
import { remember } from '../src/discord/remember.ts';
import type { Store } from '../src/redis/store.ts';
import type { Clock } from '../src/runtime/clock.ts';
import type { Snowflake } from '../src/runtime/snowflake.ts';
import type { BotCommand } from '../src/bot.ts';
import type { GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { requireManager, requirePermissions } from '../src/discord/access/permissions.ts';
import { cleanLine, code } from '../src/text/clean.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  digestRow,
  deleteDigest,
  readDigest,
  readDigests,
  type StoredDigest,
} from '../src/digests/stored-digests.ts';
import { DEFAULT_DIGEST, type Digest, DIGESTS_PER_GUILD } from '../src/digests/digest-settings.ts';
import { translate } from '../src/text/catalogue.ts';

interface DigestNeeds {
  /** Drafts and posts editions. */
  digests: Digests;
  /** Where the digests of each guild are. */
  store: Store;
  /** Has digests posted at their times. */
  due: Due;
  /** Discord's time. */
  clock: Clock;
}

export default {
  data: digestData,

  async run(interaction, needs) {
    requireManager(interaction);
    const name = digestName(interaction.options.getString('name') ?? DEFAULT_DIGEST);
    await subcommands[interaction.options.getSubcommand() as Subcommand](interaction, needs, name);
  },

  async complete(interaction, needs) {
    const { name, value } = interaction.options.getFocused(true);
    if (name === 'timezone') return zoneChoices(value, interaction, needs.clock.now());
    const digests = await readDigests(needs.store, interaction.guildId);
    return digests
      .filter((each) => each.name.includes(value.trim().toLowerCase()))
      .map((each) => ({ name: each.name, value: each.name }));
  },
  /** Custom ids are `digest|<what>|<name of the digest>`, and `digest|set|<interaction>` for an answered question. */
  async component(interaction, [what, of = ''], needs) {
    requireManager(interaction);
    if (what === 'set') return answerQuestion(interaction, needs, of);
    const { guild, guildId, locale } = interaction;
    const stored = requireDigest(of, await readDigest(needs.store, guildId, of));
    const screen = DIGEST_SCREENS.find((one) => one === what);
    if (what === 'back' || screen !== undefined) {
      const embeds = [describeDigest(locale, guild, stored)];
      return updateMessage(interaction, {
        content: '',
        embeds,
        components: screen ? screenRows(locale, guild, stored, screen) : [moreRow(locale, of)],
      });
    }
    if (!isDigestPick(what)) throw new UserError('stale');
    const digest = applyOptions(stored.digest, pickedOptions(interaction, what), {
      member: interaction.user.id,
      here: stored.digest.channel,
      now: needs.clock.now(),
    });
    const warning = inspect(interaction, digest);
    const after = await scheduleDigest(needs, guildId, of, digest);
    await updateMessage(interaction, {
      content: savedText(locale, of, warning),
      embeds: [describeDigest(locale, guild, after)],
      components: screenRows(locale, guild, after, screenOf(what)),
    });
  },
} satisfies BotCommand<DigestNeeds>;

/** What `/digest set` asked. `aboutMs`: when the digest was saved that it is about; null: there is none yet. */
type Asked = { member: Snowflake; name: string; digest: Digest; aboutMs: number | null };

/**
 * Digests that wait for their manager's yes, by the interaction that asked. After a restart the command
 * has to be given again.
 */
const askedFor = new Map<string, Asked>();
const ASKED_AT_MOST = 1000;

function savedAtOf(stored: Pick<StoredDigest, 'digest'> | null | undefined): number | null {
  return stored?.digest.savedAtMs ?? null;
}

/** The digest as it is saved now: a slot that passed since the question is none of a new schedule. */
function asOfNow(asked: Digest, now: number): Digest {
  const isNewSchedule = asked.slotsFromMs === asked.savedAtMs;
  return { ...asked, savedAtMs: now, ...(isNewSchedule ? { slotsFromMs: now } : {}) };
}

/** Does what `/digest set` asked about. */
async function answerQuestion(
  interaction: GuildComponent,
  needs: DigestNeeds,
  id: string,
): Promise<void> {
  const asked = askedFor.get(id);
  if (asked?.member !== interaction.user.id) throw new UserError('digest.ask.gone');
  const { name } = asked;
  const stored = await readDigest(needs.store, interaction.guildId, name);
  // It was set otherwise or deleted since, or the question is answered already.
  if (savedAtOf(stored) !== asked.aboutMs) throw new UserError('digest.ask.gone');
  const digest = asOfNow(asked.digest, needs.clock.now());
  const warning = inspect(interaction, digest);
  const view = await saved(interaction, needs, { name, digest, warning });
  await updateMessage(interaction, view);
}

function savedText(locale: string, name: string, warning: string | null): string {
  return [translate(locale, 'digest.saved', { name }), warning].filter(Boolean).join('\n');
}

/** Saves a digest, and shows it with what else can be chosen. */
async function saved(
  { guild, guildId, locale }: GuildCommand | GuildComponent,
  needs: Pick<DigestNeeds, 'store' | 'due'>,
  { name, digest, warning }: { name: string; digest: Digest; warning: string | null },
) {
  const stored = await scheduleDigest(needs, guildId, name, digest);
  return {
    content: savedText(locale, name, warning),
    embeds: [describeDigest(locale, guild, stored)],
    components: [moreRow(locale, name)],
  };
}

type Run = (interaction: GuildCommand, needs: DigestNeeds, name: string) => Promise<void>;

const subcommands: Record<Subcommand, Run> = {
  async set(interaction, needs, name) {
    const { guild, guildId, locale } = interaction;
    const all = await readDigests(needs.store, guildId);
    const before = all.find((each) => each.name === name);
    if (!before && all.length >= DIGESTS_PER_GUILD) {
      throw new UserError('digest.crowded', { most: DIGESTS_PER_GUILD });
    }
    // Invisible letters or stacked marks.
    if (!before && cleanLine(name, name.length) !== name) {
      throw new UserError('digest.invalid.name');
    }
    const options = readOptions(interaction);
    const applied = applyOptions(before?.digest ?? null, options, {
      member: interaction.user.id,
      here: interaction.channelId,
      now: needs.clock.now(),
    });
    const isNewThere = before?.digest.channel !== applied.channel;
    const isClosed = isNewThere && !isListed(guild.channels.cache.get(applied.channel));
    const digest = isClosed ? ofItsChannel(applied) : applied;
    const warning = inspect(interaction, digest);
    if (digest !== applied) {
      const view = await saved(interaction, needs, { name, digest, warning });
      const channel = `<#${digest.channel}>`;
      const whole = { ...digest, groups: [] };
      const { savedAtMs: aboutMs } = digest;
      const asked = { member: interaction.user.id, name, digest: whole, aboutMs };
      remember(askedFor, interaction.id, asked, ASKED_AT_MOST);
      return answer(interaction, {
        ...view,
        content: `${view.content}\n${translate(locale, 'digest.own', { channel })}`,
        components: [
          row(button(`digest|set|${interaction.id}`, translate(locale, 'digest.whole'))),
          ...view.components,
        ],
      });
    }
    if (isClosed && !isOfItsChannel(digest)) {
      const asked = { member: interaction.user.id, name, digest, aboutMs: savedAtOf(before) };
      remember(askedFor, interaction.id, asked, ASKED_AT_MOST);
      const channel = `<#${digest.channel}>`;
      const yes = translate(locale, 'digest.ask.yes');
      return answer(interaction, {
        content: translate(locale, 'digest.ask.private', { channel }),
        components: [row(button(`digest|set|${interaction.id}`, yes, 'main'))],
      });
    }
    await answer(interaction, await saved(interaction, needs, { name, digest, warning }));
  },

  /** One digest, or the list if there are several and none is named. */
  async show(interaction, { store }, name) {
    const { guildId, locale, options } = interaction;
    const all = await readDigests(store, guildId);
    const isNamed = options.getString('name') !== null;
    if (!isNamed && all.length > 1) {
      return answer(interaction, { embeds: [describeDigests(locale, interaction.guild, all)] });
    }
    const stored = requireDigest(name, isNamed ? all.find((each) => each.name === name) : all[0]);
    const embeds = [describeDigest(locale, interaction.guild, stored)];
    await answer(interaction, { embeds, components: [moreRow(locale, stored.name)] });
  },

  async now(interaction, needs, name) {
    const stored = requireDigest(name, await readDigest(needs.store, interaction.guildId, name));
    await answer(interaction, await postEditionNow(interaction, needs, stored));
  },

  async preview(interaction, needs, name) {
    const { guild, guildId, locale, member } = interaction;
    const stored = requireDigest(name, await readDigest(needs.store, guildId, name));
    // Articles of a private channel are only for members who may view it.
    const channel = requireThere(guild, stored.digest.channel, locale);
    requirePermissions(channel, ['ViewChannel'], member);
    const { draft } = await needs.digests.preview(guild, stored);
    const { body } = draft;
    if (body === null) {
      const { digest } = stored;
      const { store } = needs;
      const usually = 'digest.preview.nothing';
      return answer(interaction, await nothingText(locale, guild, { store, digest, usually }));
    }
    const { content, embeds } = body;
    await answer(interaction, { content: content ?? '', embeds: embeds ?? [] });
  },

  /** Deletes a digest, which is not looked at any more, and shows what it was. */
  async delete(interaction, { store, due }, name) {
    const { guildId, locale } = interaction;
    const stored = requireDigest(name, await readDigest(store, guildId, name));
    await deleteDigest(store, guildId, name);
    await due.planAt(guildId, digestRow(name), null);
    const embeds = [describeDigest(locale, interaction.guild, stored, true)];
    await answer(interaction, { content: translate(locale, 'digest.deleted'), embeds });
  },
};

function requireDigest(name: string, stored: StoredDigest | null | undefined): StoredDigest {
  if (!stored) throw new UserError('digest.unknown', { name, shown: code(name) });
  return stored;
}
