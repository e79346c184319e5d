import { inspectChannel } from '../digests/command/options.ts';
import { applyOptions, scheduleDigest } from '../digests/command/apply-options.ts';
import { zoneChoices, zoneNamed, zoneText } from '../digests/schedule/time-zones.ts';
import { answer, updateMessage } from '../discord/interactions/answer.ts';
import type { Imports } from '../history/import/import-needs.ts';
import { notTakenIn, pastLines } from '../history/import/link-count-texts.ts';
import type { GuildComponent } from '../discord/commands/command.ts';
import { changeSetting, settingSelect, valueText } from './setting-values.ts';
import { hasChannel, livingMentions } from '../community/dead-references.ts';
import { UserError } from '../discord/user-error.ts';
import { missingPermissions, permissionNames } from '../discord/access/permissions.ts';
import { lackText, undiscussed } from './checks.ts';
import { DIGEST_CHANNEL_TYPES, DIGEST_PERMISSIONS } from '../digests/posting/posting-context.ts';
import { readDigest } from '../digests/stored-digests.ts';
import { DEFAULT_DIGEST } from '../digests/digest-settings.ts';
import type { Settings } from '../community/settings.ts';
import { translate } from '../text/catalogue.ts';
import type { Section } from './section.ts';
import {
  button,
  card,
  channelSelect,
  choiceSelect,
  row,
} from '../discord/interactions/components.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Clock } from '../runtime/clock.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Store } from '../redis/store.ts';

const DIGEST_TIME = '09:00';
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);
const NONE = '—';

/** What is chosen before there is a digest that has it. */
type Chosen = { zone: string | null; time: string | null };
const NOTHING: Chosen = { zone: null, time: null };

/** What the set-up needs. */
interface SetupNeeds {
  /** Where the digests of each guild are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** The settings of each guild. */
  rules: GuildRules;
  /** Whether the host has switched on the Message Content intent, without which no link is seen. */
  messageContent: boolean;
  /** Counts the links that were posted before the bot came, and knows which of them were imported. */
  imports: Pick<Imports, 'counts' | 'read'>;
}

export const setup: Section = {
  async open(interaction, needs) {
    await begin(interaction, needs);
  },

  /** Custom ids are `frontpage|setup|<what>|<zone>|<time>`. They carry both until there is a digest. */
  async component(interaction, [what, ...carried], needs) {
    const { guildId, locale, member } = interaction;
    const values = interaction.isAnySelectMenu() ? interaction.values : [];
    const [pick = null] = values;
    const chosen = chosenBefore(carried);
    switch (what) {
      case 'start':
        // The button is in a public message.
        return begin(interaction, needs);
      case 'links':
        await changeSetting(needs, member, 'link-channels', values);
        break;
      case 'discussion': {
        const { settings } = await needs.rules.refresh(guildId);
        await changeSetting(needs, member, 'discussion', !settings.discussion);
        break;
      }
      case 'zone':
        chosen.zone = zoneNamed(pick ?? '');
        if (chosen.zone === null) throw new UserError('stale');
        await setUpDigest(interaction, needs, { ...chosen, time: null }, null);
        break;
      case 'time':
        chosen.time = hourNamed(pick);
        if (chosen.time === null) throw new UserError('stale');
        await setUpDigest(interaction, needs, { ...chosen, zone: null }, null);
        break;
      case 'digest':
        if (pick !== null) await setUpDigest(interaction, needs, chosen, pick);
        break;
      case 'done': {
        const content = translate(locale, 'setup.finished');
        return updateMessage(interaction, { content, embeds: [], components: [] });
      }
      default:
        throw new UserError('stale');
    }
    await updateMessage(interaction, await view(interaction, needs, chosen));
  },
};

/** Shows the set-up, and once more when the links that the server already has are counted. */
async function begin(interaction: GuildComponent, needs: SetupNeeds): Promise<void> {
  const { guild, guildId } = interaction;
  await answer(interaction, await view(interaction, needs, NOTHING));
  if (!needs.messageContent || needs.imports.counts.known(guildId) !== null) return;
  await needs.imports.counts.read(guild);
  // The answer may be dismissed by now.
  await interaction.editReply(await view(interaction, needs, NOTHING)).catch(() => {});
}

function chosenBefore([zone = '', time = '']: readonly string[]): Chosen {
  return { zone: zoneNamed(zone), time: hourNamed(time) };
}

function hourNamed(text: string | null): string | null {
  return HOURS.find((hour) => hour === text) ?? null;
}

/**
 * Creates or changes the daily digest. Without a channel, a zone or an hour changes only a digest that is
 * there.
 */
async function setUpDigest(
  interaction: GuildComponent,
  { store, clock }: SetupNeeds,
  { zone, time }: Chosen,
  channel: Snowflake | null,
): Promise<void> {
  const { guildId, member } = interaction;
  const before = (await readDigest(store, guildId, DEFAULT_DIGEST))?.digest ?? null;
  if (before === null && channel === null) return;
  if (channel !== null) inspectChannel(interaction, channel);
  const options = {
    ...(before === null && { time: DIGEST_TIME, timezone: 'UTC' }),
    ...(zone !== null && { timezone: zone }),
    ...(time !== null && { time }),
    ...(channel !== null && { channel }),
  };
  const by = { member: member.id, here: interaction.channelId, now: clock.now() };
  const digest = applyOptions(before, options, by);
  await scheduleDigest(store, guildId, DEFAULT_DIGEST, digest);
}

async function view(interaction: GuildComponent, needs: SetupNeeds, chosen: Chosen) {
  const { guild, guildId, locale } = interaction;
  const { settings } = await needs.rules.refresh(guildId);
  const digest = (await readDigest(needs.store, guildId, DEFAULT_DIGEST))?.digest;
  const zone = digest?.schedule.zone ?? chosen.zone;
  const time = digest?.schedule.time ?? chosen.time ?? DIGEST_TIME;
  const carried = [zone ?? '', ...(digest || chosen.time === null ? [] : [chosen.time])].join('|');
  const valueOf = (name: 'link-channels' | 'discussion') => ({
    value: valueText(locale, guild, name, settings[name]),
  });
  const { messageContent, imports } = needs;
  const counts = notTakenIn(imports.counts.known(guildId), await imports.read(guildId));
  const past = pastLines(locale, { messageContent, counts });
  const lines = [
    translate(locale, 'setup.intro'),
    '',
    ...past,
    ...(past.length > 0 ? [''] : []),
    translate(locale, 'setup.zone', { value: zone === null ? NONE : zoneText(zone) }),
    translate(locale, 'setup.digest', {
      time,
      value: digest ? livingMentions(guild, '#', [digest.channel], locale).join('') : NONE,
    }),
    digestNeeds(interaction, digest?.channel),
    translate(locale, 'setup.links', valueOf('link-channels')),
    needs.messageContent
      ? translate(locale, 'setup.has', { permissions: 'Message Content Intent' })
      : translate(locale, 'setup.links.needs'),
    translate(locale, 'setup.discussion', valueOf('discussion')),
    discussionNeeds(interaction, settings),
  ];
  const turn = settings.discussion ? 'setup.discussion.off' : 'setup.discussion.on';
  const control = (what: string, pick: 'zone' | 'time' | 'digest' | 'links') => ({
    custom_id: `frontpage|setup|${what}`,
    placeholder: translate(locale, `setup.pick.${pick}`),
  });
  return {
    embeds: [card(translate(locale, 'setup.title'), lines)],
    components: [
      choiceSelect(
        control(chosen.time === null || digest ? 'zone' : `zone|${carried}`, 'zone'),
        zoneOptions(zone, needs.clock.now()),
        zone,
      ),
      choiceSelect(
        control(`time|${carried}`, 'time'),
        timeOptions(time),
        digest ? time : chosen.time,
      ),
      channelSelect(
        control(`digest|${carried}`, 'digest'),
        [...DIGEST_CHANNEL_TYPES],
        digest && hasChannel(guild, digest.channel) ? [digest.channel] : [],
        { least: 1, isOne: true },
      ),
      settingSelect(
        locale,
        guild,
        'link-channels',
        settings['link-channels'],
        control(`links|${carried}`, 'links'),
      ),
      row(
        button(`frontpage|setup|discussion|${carried}`, translate(locale, turn)),
        ...(messageContent
          ? [button('frontpage|import|start', translate(locale, 'frontpage.button.import'))]
          : []),
        button('frontpage|setup|done', translate(locale, 'setup.done'), 'done'),
      ),
    ],
  };
}

/** The zone that is chosen, and common ones. */
function zoneOptions(zone: string | null, now: number) {
  const common = zoneChoices('', now).map(({ name, value }) => ({
    label: name,
    value: String(value),
  }));
  const isCommon = zone === null || common.some(({ value }) => value === zone);
  return isCommon ? common : [{ label: zoneText(zone), value: zone }, ...common];
}

/** The full hours, and the time that was chosen elsewhere. */
function timeOptions(time: string) {
  const all = HOURS.includes(time) ? HOURS : [time, ...HOURS];
  return all.map((value) => ({ label: value, value }));
}

/** Names the permissions that a digest needs, or those that are missing in its channel. */
function digestNeeds({ guild, locale }: GuildComponent, id: Snowflake | undefined): string {
  const channel = guild.channels.cache.get(id ?? '');
  const lack = channel ? missingPermissions(channel, DIGEST_PERMISSIONS) : [];
  if (channel && lack.length > 0) return `-# ${lackText(locale, channel.id, lack)}`;
  const permissions = permissionNames(DIGEST_PERMISSIONS);
  return translate(locale, channel ? 'setup.has' : 'setup.needs', { permissions });
}

function discussionNeeds({ guild, locale }: GuildComponent, settings: Settings): string {
  const channels = undiscussed(guild, settings).map(({ id }) => `<#${id}>`);
  return channels.length > 0
    ? translate(locale, 'setup.discussion.needs', { channels: channels.join(' ') })
    : translate(locale, 'setup.has', { permissions: permissionNames(['CreatePublicThreads']) });
}
