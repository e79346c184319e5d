import {
  AutoModerationActionType as Act,
  AutoModerationRuleTriggerType as Trigger,
  GatewayIntentBits,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { AutoModRule, Guild } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { may } from '../permissions.ts';
import { changeMember } from './change-member.ts';

/** A rule as Discord sends it. */
export function rulePayload(guild: Guild, rule: AutoModRule): Json {
  return { guild_id: guild.id, ...rule };
}

/** Tells of a rule that was made, changed or taken away. */
export function emitRule(world: World, guild: Guild, verb: string, rule: AutoModRule): void {
  world.changes.emit({
    t: `AUTO_MODERATION_RULE_${verb}`,
    d: rulePayload(guild, rule),
    guildId: guild.id,
    intents: GatewayIntentBits.AutoModerationConfiguration,
  });
}

/**
 * Whether automatic moderation holds back what a person writes. What else its rules do about it is done: the
 * bot hears of every action, and a time-out begins. Messages of bots are exempt: Discord's "AutoMod FAQ" says so.
 */
export function isHeldBack(
  world: World,
  channel: Channel,
  userId: Snowflake,
  text: string,
): boolean {
  const guild = world.guilds.get(channel.guildId ?? '');
  if (guild === undefined || may(world, channel, userId, P.ManageGuild)) return false;
  if (guild.blockedWords.some((word) => holdsWord(text, word))) return true;
  let blocked = false;
  for (const rule of guild.rules.values()) {
    const keyword = keywordIn(rule, text);
    if (keyword === undefined || !applies(guild, rule, channel, userId)) continue;
    for (const action of rule.actions) {
      blocked ||= action.type === Act.BlockMessage;
      const member = guild.members.get(userId);
      const seconds = Number(action.metadata['duration_seconds'] ?? 0);
      if (action.type === Act.Timeout && member !== undefined) {
        const timedOutUntilMs = world.clock.now() + seconds * 1000;
        changeMember(world, guild, member, { timedOutUntilMs });
      }
      emitExecution(world, channel, rule, action, { userId, content: text, keyword });
    }
  }
  return blocked;
}

/** Rules of keywords look at what is written; of the others, only the settings are kept. */
function keywordIn({ enabled, trigger_type, trigger_metadata }: AutoModRule, text: string) {
  if (!enabled || trigger_type !== Trigger.Keyword) return undefined;
  const list = (key: string) => (trigger_metadata[key] ?? []) as string[];
  const looked = list('allow_list').reduce(
    (left, allowed) => left.replace(wordPattern(allowed, 'giu'), ''),
    text,
  );
  return (
    list('keyword_filter').find((word) => holdsWord(looked, word)) ??
    list('regex_patterns').find((pattern) => new RegExp(pattern, 'iu').test(looked))
  );
}

function applies(guild: Guild, rule: AutoModRule, { id, parentId }: Channel, userId: Snowflake) {
  const { exempt_channels: channels, exempt_roles: roles } = rule;
  const has = guild.members.get(userId)?.roleIds ?? new Set();
  return (
    !channels.includes(id) &&
    !channels.includes(parentId ?? '') &&
    !roles.some((role) => has.has(role))
  );
}

function emitExecution(
  world: World,
  { id: channelId, guildId }: Channel,
  rule: AutoModRule,
  action: AutoModRule['actions'][number],
  { userId, content, keyword }: { userId: Snowflake; content: string; keyword: string },
): void {
  const common = {
    guild_id: guildId,
    action,
    rule_id: rule.id,
    rule_trigger_type: rule.trigger_type,
    user_id: userId,
    channel_id: channelId,
    matched_keyword: keyword,
  };
  world.changes.emit({
    t: 'AUTO_MODERATION_ACTION_EXECUTION',
    d: { ...common, content, matched_content: keyword.replaceAll('*', '') },
    withoutContent: { ...common, content: '', matched_content: '' },
    ...(guildId === null ? {} : { guildId }),
    intents: GatewayIntentBits.AutoModerationExecution,
  });
}

function holdsWord(text: string, keyword: string): boolean {
  return wordPattern(keyword, 'iu').test(text);
}

/** A keyword is a whole word or phrase; with a `*` it may go on there. */
function wordPattern(keyword: string, flags: string): RegExp {
  const word = keyword.replace(/^\*|\*$/g, '').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  const before = keyword.startsWith('*') ? '' : '(?<![\\p{L}\\p{N}])';
  const after = keyword.endsWith('*') ? '' : '(?![\\p{L}\\p{N}])';
  return new RegExp(`${before}${word}${after}`, flags);
}
