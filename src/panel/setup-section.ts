import { inspectChannel } from '../digests/command/options.ts';
import { applyOptions, scheduleDigest } from '../digests/command/apply-options.ts';
import { zoneChoices, zoneNamed, zoneText } from '../digests/schedule/time-zones.ts';
import { answer, updateMessage } from '../discord/interactions/answer.ts';
import type { Imports } from '../history/import/import-needs.ts';
import { pastLines } from '../history/import/past-text.ts';
import type { GuildComponent } from '../discord/commands/command.ts';
import { changeSetting, settingSelect, valueText } from './setting-values.ts';
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
const NONE = '—';

/** What the set-up needs of the bot. */
type Parts = {
  store: Store;
  clock: Clock;
  rules: GuildRules;
  messageContent: boolean;
  imports: Pick<Imports, 'counts'>;
};

export const setup: Section = {
  async open(interaction, app) {
    await begin(interaction, app);
  },

  /** Custom ids are `frontpage|setup|<what>|<zone>`. They carry the zone until there is a digest. */
  async component(interaction, [what, input = ''], app) {
    const { guildId, locale, member } = interaction;
    const values = interaction.isAnySelectMenu() ? interaction.values : [];
    const [chosen = null] = values;
    let zone = zoneNamed(input);
    switch (what) {
      case 'start':
        // The button is in a public message.
        return begin(interaction, app);
      case 'links':
        await changeSetting(app, member, 'link-channels', values);
        break;
      case 'discussion': {
        const { settings } = await app.rules.refresh(guildId);
        await changeSetting(app, member, 'discussion', !settings.discussion);
        break;
      }
      case 'zone':
        zone = zoneNamed(chosen ?? '');
        if (zone === null) throw new UserError('stale');
        await setUpDigest(interaction, app, zone, null);
        break;
      case 'digest':
        if (chosen !== null) await setUpDigest(interaction, app, zone, chosen);
        break;
      case 'done': {
        const content = translate(locale, 'setup.finished');
        return updateMessage(interaction, { content, embeds: [], components: [] });
      }
      default:
        throw new UserError('stale');
    }
    await updateMessage(interaction, await view(interaction, app, zone));
  },
};

/** Shows the set-up, and once more when the links that the server already has are counted. */
async function begin(interaction: GuildComponent, app: Parts): Promise<void> {
  const { guild, guildId } = interaction;
  await answer(interaction, await view(interaction, app, null));
  if (!app.messageContent || app.imports.counts.known(guildId) !== null) return;
  await app.imports.counts.read(guild);
  // The answer may be dismissed by now.
  await interaction.editReply(await view(interaction, app, null)).catch(() => {});
}

/** Creates or changes the daily digest. Without a channel, only keeps the zone until there is one. */
async function setUpDigest(
  interaction: GuildComponent,
  { store, clock }: Parts,
  timezone: string | null,
  channel: Snowflake | null,
): Promise<void> {
  const { guildId, member } = interaction;
  const before = (await readDigest(store, guildId, DEFAULT_DIGEST))?.digest ?? null;
  if (before === null && channel === null) return;
  if (channel !== null) inspectChannel(interaction, channel);
  const options = {
    ...(before === null && { time: DIGEST_TIME, timezone: 'UTC' }),
    ...(timezone !== null && { timezone }),
    ...(channel !== null && { channel }),
  };
  const by = { member: member.id, here: interaction.channelId, now: clock.now() };
  const digest = applyOptions(before, options, by);
  await scheduleDigest(store, guildId, DEFAULT_DIGEST, digest);
}

async function view(interaction: GuildComponent, app: Parts, chosenZone: string | null) {
  const { guildId, locale } = interaction;
  const { settings } = await app.rules.refresh(guildId);
  const digest = (await readDigest(app.store, guildId, DEFAULT_DIGEST))?.digest;
  const zone = digest?.schedule.zone ?? chosenZone;
  const valueOf = (name: 'link-channels' | 'discussion') => ({
    value: valueText(locale, name, settings[name]),
  });
  const { messageContent } = app;
  const past = pastLines(locale, { messageContent, counts: app.imports.counts.known(guildId) });
  const lines = [
    translate(locale, 'setup.intro'),
    '',
    ...past,
    ...(past.length > 0 ? [''] : []),
    translate(locale, 'setup.zone', { value: zone === null ? NONE : zoneText(zone) }),
    translate(locale, 'setup.digest', {
      time: digest?.schedule.time ?? DIGEST_TIME,
      value: digest ? `<#${digest.channel}>` : NONE,
    }),
    digestNeeds(interaction, digest?.channel),
    translate(locale, 'setup.links', valueOf('link-channels')),
    app.messageContent
      ? translate(locale, 'setup.has', { permissions: 'Message Content' })
      : translate(locale, 'setup.links.needs'),
    translate(locale, 'setup.discussion', valueOf('discussion')),
    discussionNeeds(interaction, settings),
  ];
  const turn = settings.discussion ? 'setup.discussion.off' : 'setup.discussion.on';
  const control = (what: string, pick: 'zone' | 'digest' | 'links') => ({
    custom_id: `frontpage|setup|${what}`,
    placeholder: translate(locale, `setup.pick.${pick}`),
  });
  return {
    embeds: [card(translate(locale, 'setup.title'), lines)],
    components: [
      choiceSelect(control('zone', 'zone'), zoneOptions(zone, app.clock.now()), zone),
      channelSelect(
        control(`digest|${zone ?? ''}`, 'digest'),
        [...DIGEST_CHANNEL_TYPES],
        digest ? [digest.channel] : [],
        { least: 1, isOne: true },
      ),
      settingSelect(
        locale,
        'link-channels',
        settings['link-channels'],
        control(`links|${zone ?? ''}`, 'links'),
      ),
      row(
        button(`frontpage|setup|discussion|${zone ?? ''}`, translate(locale, turn)),
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
