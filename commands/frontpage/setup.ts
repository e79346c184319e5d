import { ChannelType } from 'discord.js';
import { inspectChannel } from '../../src/digest/command/options.ts';
import { applyOptions, scheduleDigest } from '../../src/digest/command/apply-options.ts';
import { zoneChoices, zoneNamed, zoneText } from '../../src/digest/schedule/time-zones.ts';
import { answer, updateMessage } from '../../src/discord/interactions/answer.ts';
import type { ModerationParts } from '../../src/admin/moderation/log-action.ts';
import type { App } from '../../src/app.ts';
import type { GuildComponent } from '../../src/discord/commands/command.ts';
import { changeSetting } from '../../src/admin/change-setting.ts';
import { chosenValue, settingSelect } from '../../src/admin/settings/settings-panel.ts';
import { checkedValue, valueText } from '../../src/admin/settings/values.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { missingPermissions, permissionNames } from '../../src/discord/access/permissions.ts';
import { undiscussed } from '../../src/admin/checks.ts';
import { DIGEST_PERMISSIONS } from '../../src/digest/posting/channel.ts';
import { readDigest } from '../../src/records/digests/digests.ts';
import { DEFAULT_DIGEST } from '../../src/records/digests/digest-settings.ts';
import type { SettingName, Settings } from '../../src/records/settings.ts';
import { translate } from '../../src/text/catalogue.ts';
import type { Section } from './section.ts';
import {
  button,
  card,
  channelSelect,
  choiceSelect,
  type ActionRow,
  row,
} from '../../src/discord/interactions/components.ts';
import { limits } from '../../src/discord/limits.ts';
import type { Snowflake } from '../../src/ranking/snowflake.ts';

const DIGEST_TIME = '09:00';
const NONE = '—';

async function begin(
  interaction: GuildComponent,
  app: Pick<App, 'store' | 'clock' | 'messageContent' | 'rules'>,
): Promise<void> {
  await answer(interaction, await view(interaction, app, null));
}

export const setup: Section = {
  open: begin,

  /** Custom ids are `frontpage|setup|<what>|<zone>`. They carry the zone until there is a digest. */
  async component(interaction, args, app) {
    const [what = '', given = ''] = args;
    let zone = given === '' ? null : zoneNamed(given);
    const [chosen = null] = interaction.isAnySelectMenu() ? interaction.values : [];
    switch (what) {
      case 'start':
        // The button is in a public message.
        return begin(interaction, app);
      case 'links': {
        if (!interaction.isAnySelectMenu()) throw new UserError('stale');
        const value = chosenValue('link-channels', interaction.values, interaction.guild);
        await change(interaction, app, 'link-channels', value);
        break;
      }
      case 'discussion': {
        const { settings } = await app.rules.refresh(interaction.guildId);
        await change(interaction, app, 'discussion', !settings.discussion);
        break;
      }
      case 'zone':
        zone = zoneNamed(chosen ?? '');
        if (zone === null) throw new UserError('stale');
        await setUpDigest(interaction, app, { zone, channel: null });
        break;
      case 'digest':
        if (chosen === null) break;
        await setUpDigest(interaction, app, { zone, channel: chosen });
        break;
      case 'done': {
        const content = translate(interaction.locale, 'setup.finished');
        return updateMessage(interaction, { content, embeds: [], components: [] });
      }
      default:
        throw new UserError('stale');
    }
    await updateMessage(interaction, await view(interaction, app, zone));
  },
};

async function change(
  interaction: GuildComponent,
  app: ModerationParts,
  name: SettingName,
  value: unknown,
): Promise<void> {
  const fits = checkedValue(interaction, name, value);
  if (fits === undefined) throw new UserError('stale');
  await changeSetting(app, interaction.member, name, fits);
}

/** Creates or changes the daily digest. Without a channel, only keeps the zone until there is one. */
async function setUpDigest(
  interaction: GuildComponent,
  app: Pick<App, 'store' | 'clock'>,
  { zone, channel }: { zone: string | null; channel: Snowflake | null },
): Promise<void> {
  const { guildId, member } = interaction;
  const before = (await readDigest(app.store, guildId, DEFAULT_DIGEST))?.digest ?? null;
  if (before === null && channel === null) return;
  if (channel !== null) inspectChannel(interaction, channel);
  const digest = applyOptions(
    before,
    {
      ...(channel === null ? {} : { channel }),
      ...(before === null ? { time: DIGEST_TIME, timezone: 'UTC' } : {}),
      ...(zone === null ? {} : { timezone: zone }),
    },
    { member: member.id, here: interaction.channelId, now: app.clock.now() },
  );
  await scheduleDigest(app.store, guildId, DEFAULT_DIGEST, digest);
}

async function view(
  interaction: GuildComponent,
  app: Pick<App, 'store' | 'clock' | 'messageContent' | 'rules'>,
  chosenZone: string | null,
) {
  const { guildId, locale } = interaction;
  const { settings } = await app.rules.refresh(guildId);
  const digest = (await readDigest(app.store, guildId, DEFAULT_DIGEST))?.digest ?? null;
  const zone = digest?.schedule.zone ?? chosenZone;
  const lines = [
    translate(locale, 'setup.intro'),
    '',
    translate(locale, 'setup.zone', { value: zone === null ? NONE : zoneText(zone) }),
    translate(locale, 'setup.digest', {
      time: digest?.schedule.time ?? DIGEST_TIME,
      value: digest ? `<#${digest.channel}>` : NONE,
    }),
    digestNeeds(interaction, digest?.channel ?? null),
    translate(locale, 'setup.links', {
      value: valueText(locale, 'link-channels', settings['link-channels']),
    }),
    app.messageContent
      ? translate(locale, 'setup.has', { permissions: 'Message Content' })
      : translate(locale, 'setup.links.needs'),
    translate(locale, 'setup.discussion', {
      value: valueText(locale, 'discussion', settings.discussion),
    }),
    discussionNeeds(interaction, settings),
  ];
  return {
    embeds: [card(translate(locale, 'setup.title'), lines)],
    components: [
      zoneRow(locale, zone, app.clock.now()),
      digestRow(locale, zone, digest?.channel ?? null),
      settingSelect({ locale, settings }, 'link-channels', {
        custom_id: `frontpage|setup|links|${zone ?? ''}`,
        placeholder: translate(locale, 'setup.pick.links'),
      }),
      buttonRow(locale, zone, settings),
    ],
  };
}

function zoneRow(locale: string, zone: string | null, now: number): ActionRow {
  const common = zoneChoices('', now).map(({ name, value }) => ({
    label: name,
    value: String(value),
  }));
  const own = zone !== null && !common.some(({ value }) => value === zone);
  const all = own ? [{ label: zoneText(zone), value: zone }, ...common] : common;
  const placeholder = translate(locale, 'setup.pick.zone');
  const options = all.slice(0, limits.selectOptions);
  return choiceSelect({ custom_id: 'frontpage|setup|zone', placeholder }, options, zone);
}

/** Names the permissions that a digest needs, or those that are missing in its channel. */
function digestNeeds({ guild, locale }: GuildComponent, id: string | null): string {
  const channel = guild.channels.cache.get(id ?? '');
  if (!channel)
    return translate(locale, 'setup.needs', { permissions: permissionNames(DIGEST_PERMISSIONS) });
  const lack = missingPermissions(channel, DIGEST_PERMISSIONS);
  if (lack.length === 0)
    return translate(locale, 'setup.has', { permissions: permissionNames(DIGEST_PERMISSIONS) });
  const values = { channel: `<#${channel.id}>`, permissions: permissionNames(lack) };
  return `-# ${translate(locale, 'settings.lacks', values)}`;
}

function discussionNeeds({ guild, locale }: GuildComponent, settings: Settings): string {
  const channels = undiscussed(guild, settings).map(({ id }) => `<#${id}>`);
  if (channels.length === 0) {
    return translate(locale, 'setup.has', {
      permissions: permissionNames(['CreatePublicThreads']),
    });
  }
  return translate(locale, 'setup.discussion.needs', { channels: channels.join(' ') });
}

function digestRow(locale: string, zone: string | null, chosen: string | null): ActionRow {
  const common = {
    custom_id: `frontpage|setup|digest|${zone ?? ''}`,
    placeholder: translate(locale, 'setup.pick.digest'),
  };
  const types = [ChannelType.GuildText, ChannelType.GuildAnnouncement];
  return channelSelect(common, types, chosen === null ? [] : [chosen], { least: 1, isOne: true });
}

function buttonRow(locale: string, zone: string | null, { discussion }: Settings): ActionRow {
  const turn = translate(locale, discussion ? 'setup.discussion.off' : 'setup.discussion.on');
  return row(
    button(`frontpage|setup|discussion|${zone ?? ''}`, turn),
    button('frontpage|setup|done', translate(locale, 'setup.done'), 'done'),
  );
}
