import { deadIn, isAllDead } from '../community/dead-references.ts';
import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import {
  idKindOf,
  namesRoles,
  settingNames,
  type SettingName,
  type Settings,
} from '../community/settings.ts';
import { type Key, translate, type Values } from '../text/catalogue.ts';
import { mayDiscuss } from '../articles/messages/discussion.ts';
import { emojiName } from '../discord/vote-emoji.ts';
import { THUMBS } from '../ranking/vote-signs.ts';
import { SIGN_SETTINGS, type SignSetting } from '../community/vote-offer.ts';
import { isGroup } from '../community/guild-rules.ts';
import {
  missingPermissions,
  suspensionOf,
  permissionNames,
  MESSAGE_PERMISSIONS,
  NEEDED_PERMISSIONS,
  type Permission,
} from '../discord/access/permissions.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { offerOf, screenOf } from './settings-screens.ts';
import { timestamp } from '../text/mentions.ts';
import { areUnlisted, groupsOf } from '../discord/access/visibility.ts';

/** The result of one check, with a cure in the text if it found a fault. */
export type Finding = { state: 'ok' | 'warning' | 'broken'; text: string };

export function finding(
  locale: string,
  state: Finding['state'],
  key: Key,
  values?: Values,
): Finding {
  return { state, text: translate(locale, key, values) };
}

const posting = NEEDED_PERMISSIONS.filter((name) => name !== 'AttachFiles');
const NAMED_AT_MOST = 8;
/** Where all roles of a setting are deleted. */
const ALL_GONE: Partial<Record<SettingName, Key>> = {
  'post-roles': 'check-up.post-roles.gone',
  'vote-roles': 'check-up.vote-roles.gone',
};

/** What the checks of settings know besides the guild. */
export interface SettingChecks {
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
  /** The last article, if Discord's limit of active threads left it without its thread. */
  threadless: Snowflake | null;
  /** Emoji of the server that stand for votes, and are gone or not for everybody. */
  lostSigns: readonly SignSetting[];
}

/** Checks the channels, and what single features need. */
export function checkGuild(
  locale: string,
  guild: Guild,
  settings: Settings,
  needs: SettingChecks,
): Finding[] {
  const checked = (name: SettingName) => {
    const found = checkSetting(locale, guild, settings, name, needs);
    if (found === null) return [];
    // A text about discussions says so itself.
    const use = translate(locale, `settings.${name}`);
    return [name === 'discussion' ? found : named(locale, use, found)];
  };
  const findings = [
    ...suspended(locale, guild),
    ...[checked('log'), checked('announcements')].flat(),
  ];
  const groups = groupsOf(guild).filter(({ id }) => isGroup(settings, id));
  const lacking = groups
    .map((channel) => ({ channel, lack: missingPermissions(channel, posting) }))
    .filter(({ lack }) => lack.length > 0);
  const ok = groups.length - lacking.length;
  const state = ok > 0 ? 'ok' : 'broken';
  findings.push(finding(locale, state, 'check-up.groups', { ok, all: groups.length }));
  for (const { channel, lack } of lacking) {
    // A channel that the bot may not view is probably hidden on purpose.
    const state = lack.includes('ViewChannel') ? 'warning' : 'broken';
    findings.push({ state, text: lackText(locale, channel.id, lack) });
  }
  if (areUnlisted(groups)) findings.push(finding(locale, 'warning', 'check-up.closed'));
  for (const name of settingNames.filter((one) => idKindOf(one) === 'channels')) {
    if (deadIn(guild, settings, name).length === 0) continue;
    const found = finding(locale, 'warning', 'check-up.settings.gone', doorOf(name));
    findings.push(named(locale, translate(locale, `settings.${name}`), found));
  }
  for (const name of settingNames.filter(namesRoles)) {
    if (deadIn(guild, settings, name).length === 0) continue;
    const allGone = isAllDead(guild, settings, name) ? ALL_GONE[name] : undefined;
    const found =
      allGone === undefined
        ? finding(locale, 'warning', 'check-up.roles.gone')
        : finding(locale, 'broken', allGone);
    findings.push(named(locale, translate(locale, `settings.${name}`), found));
  }
  findings.push(...[checked('discussion'), checked('link-channels')].flat());
  findings.push(...checked('nomination-channels'));
  findings.push(...[checked('up-emoji'), checked('down-emoji')].flat());
  // Without Manage Messages, replaced reactions stay, and members see both.
  const mayManage = guild.members.me?.permissions.has('ManageMessages') === true;
  if (mayManage) findings.push(finding(locale, 'ok', 'check-up.optional.ok'));
  else findings.push(finding(locale, 'warning', 'check-up.optional.lacks'));
  return findings;
}

function suspended(locale: string, guild: Guild): Finding[] {
  const suspension = suspensionOf(guild);
  switch (suspension?.reason) {
    case 'timeout': {
      const until = timestamp(suspension.untilMs, 'f');
      return [finding(locale, 'broken', 'check-up.timeout', { until })];
    }
    case 'two-factor':
      return [finding(locale, 'broken', 'check-up.two-factor')];
    case undefined:
      return [];
  }
}

/** Checks what Frontpage needs for a setting; null where it needs nothing. */
export function checkSetting(
  locale: string,
  guild: Guild,
  settings: Settings,
  name: SettingName,
  { messageContent, threadless, lostSigns }: SettingChecks,
): Finding | null {
  switch (name) {
    case 'log':
    case 'announcements': {
      const id = settings[name];
      if (id === null) return null;
      if (!guild.channels.cache.has(id)) {
        return finding(locale, 'broken', 'check-up.channel.gone', doorOf(name));
      }
      return checkChannel(locale, guild, id, MESSAGE_PERMISSIONS);
    }
    case 'link-channels':
    case 'nomination-channels':
      if (messageContent || settings[name].length === 0) return null;
      return finding(locale, 'broken', 'settings.lacks.intent');
    case 'discussion': {
      if (!settings[name]) return null;
      if (threadless !== null) {
        const when = timestamp(snowflakeTimeMs(threadless), 'R');
        return finding(locale, 'warning', 'check-up.discussion.full', { when });
      }
      const channels = undiscussed(guild, settings).map(({ id }) => `<#${id}>`);
      if (channels.length > 0) {
        return finding(locale, 'warning', 'check-up.discussion.lacks', {
          channels: channels.join(' '),
          permissions: permissionNames(['CreatePublicThreads']),
        });
      }
      const state = settings[name] === 'reply' ? 'reply' : 'ok';
      return finding(locale, 'ok', `check-up.discussion.${state}`);
    }
    case 'mark':
    case 'span':
    case 'language':
    case 'everybody':
    case 'age-restricted':
    case 'post-roles':
    case 'vote-roles':
    case 'account-days':
    case 'member-days':
    case 'groups':
    case 'no-groups':
    case 'repost-days':
    case 'nominations':
    case 'posts-per-hour':
    case 'votes':
    case 'votes-otherwise':
      return null;
    case 'up-emoji':
    case 'down-emoji': {
      if (!lostSigns.includes(name)) return null;
      return finding(locale, 'warning', 'check-up.emoji.gone', {
        emoji: emojiName(settings[name] ?? ''),
        instead: THUMBS[SIGN_SETTINGS[name]],
      });
    }
    default:
      return name satisfies never;
  }
}

/** The door of the panel behind which a setting is, for the text that sends there. */
function doorOf(name: SettingName): Values {
  const door = `frontpage.door.${screenOf(offerOf(name))}` as const;
  return { door: (locale) => translate(locale, door) };
}

/** The finding with the name of what it is about. */
export function named(locale: string, use: string, { state, text }: Finding): Finding {
  return finding(locale, state, 'check-up.of', { use, what: text });
}

export function checkChannel(
  locale: string,
  guild: Guild,
  id: string,
  wanted: readonly Permission[],
): Finding {
  const channel = guild.channels.cache.get(id);
  if (!channel) return finding(locale, 'broken', 'channel.unknown');
  const lack = missingPermissions(channel, wanted);
  if (lack.length > 0) return { state: 'broken', text: lackText(locale, id, lack) };
  return { state: 'ok', text: `<#${id}>` };
}

export function lackText(locale: string, id: string, lack: readonly Permission[]): string {
  const values = { channel: `<#${id}>`, permissions: permissionNames(lack) };
  return translate(locale, 'check-up.channel.lacks', values);
}

/** The first groups, of those that the reader may view, in which Frontpage lacks the permission to start threads. */
export function undiscussed(
  guild: Guild,
  settings: Settings,
  maySee: (channel: Snowflake) => boolean = () => true,
): NonThreadGuildBasedChannel[] {
  return groupsOf(guild)
    .filter(
      (channel) =>
        isGroup(settings, channel.id) &&
        maySee(channel.id) &&
        missingPermissions(channel, ['ViewChannel']).length === 0 &&
        mayDiscuss(channel) === 'lacks',
    )
    .slice(0, NAMED_AT_MOST);
}
