import type { APIEmbed, GuildMember } from 'discord.js';
import { type Block, blockedMember } from '../../records/blocks.ts';
import { type AuditEntry, recordAuditEntry } from '../../records/audit-log.ts';
import { isSettingName, parseSettingJson } from '../../records/settings.ts';
import { translate } from '../../text/catalogue.ts';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import type { App } from '../../app.ts';
import { originName, reasonText, untilText } from '../../articles/posting/block-text.ts';
import { valueText } from '../settings/values.ts';
import { code } from '../../text/clean.ts';
import { isListed, mayView } from '../../discord/access/visibility.ts';
import { GREY } from '../../discord/colours.ts';
import { type LogChannelParts, writeToLogChannel } from '../../discord/requests/log-channel.ts';

export type ModerationParts = LogChannelParts &
  Pick<
    App,
    | 'ranking'
    | 'store'
    | 'clock'
    | 'messageUpdates'
    | 'takenAwayReactions'
    | 'tasks'
    | 'recountArticleSoon'
  >;

export type Act = {
  by: GuildMember;
  reason: string;
  /** The poster acts, not a moderator. */
  own?: boolean;
};

export function newEntry(
  { clock }: Pick<App, 'clock'>,
  { by, reason, own = false }: Act,
  what: AuditEntry['what'],
  about: Partial<AuditEntry>,
): AuditEntry {
  const nothing = {
    article: null,
    home: null,
    subject: null,
    title: '',
    before: null,
    after: null,
  };
  return { ...nothing, atMs: clock.now(), by: by.id, what, own, reason, ...about };
}

/** Records an action, and reports it in the guild's log channel. */
export async function logAction(
  app: LogChannelParts & Pick<App, 'store'>,
  guildId: Snowflake,
  entry: AuditEntry,
): Promise<void> {
  await recordAuditEntry(app.store, guildId, entry);
  const guild = app.client.guilds.cache.get(guildId);
  const home = entry.home === null ? undefined : guild?.channels.cache.get(entry.home);
  // Do not show titles of a hidden channel to moderators who may not view it.
  const isOpen = entry.home === null || isListed(home);
  const shown = isOpen ? entry : { ...entry, title: '', before: null, after: null };
  await writeToLogChannel(app, guildId, (locale) => ({ embeds: [entryEmbed(locale, shown)] }));
}

function entryEmbed(locale: string | null, entry: AuditEntry): APIEmbed {
  const lines = [auditLine(locale, entry, 800)];
  const { reason, atMs } = entry;
  const change = changeText(entry);
  if (change !== '') lines.push(change);
  if (reason !== '') lines.push(translate(locale, 'audit.reason', { reason: reasonText(reason) }));
  return {
    color: GREY,
    description: lines.join('\n'),
    timestamp: new Date(atMs).toISOString(),
  };
}

/** What a move or a new title changed; empty for other actions. */
export function changeText({
  what,
  before,
  after,
}: Pick<AuditEntry, 'what' | 'before' | 'after'>): string {
  if (what === 'setting' || typeof before !== 'string' || typeof after !== 'string') return '';
  const [was = '', is = ''] = [before, after].map((text) =>
    // A restored file can have any text here.
    what === 'move' && zSnowflake.safeParse(text).success ? `<#${text}>` : code(text),
  );
  return `${was} → ${is}`;
}

/** One sentence about an action. Members' texts are shown as code, and a setting's values are cut. */
export function auditLine(locale: string | null, entry: AuditEntry, length = 100): string {
  const by = `<@${entry.by}>`;
  if (entry.what === 'setting') return settingLine(locale, entry, length);
  const article = entry.title === '' ? `\`${entry.article ?? ''}\`` : code(entry.title);
  const subject = subjectText(entry.subject ?? '');
  const { after } = entry;
  if (entry.what === 'block' && after !== null && typeof after !== 'string') {
    const what = blockScopeText(locale, { subject: entry.subject ?? '', ...after });
    const until = untilText(after.untilMs);
    return translate(locale, 'audit.block.now', { by, subject, until, what });
  }
  return translate(locale, `audit.${entry.what}`, { by, article, subject });
}

function settingLine(locale: string | null, entry: AuditEntry, length: number): string {
  const by = `<@${entry.by}>`;
  const change = settingChange(entry);
  if (!change) {
    return translate(locale, 'audit.setting', { by, setting: code(entry.subject ?? '') });
  }
  const { name, was, is } = change;
  return translate(locale, 'audit.setting.values', {
    by,
    setting: translate(locale, `settings.${name}`),
    before: valueText(locale, name, was, length),
    after: valueText(locale, name, is, length),
  });
}

/** A setting's values before and after a change; null if this version knows no such setting or value. */
function settingChange({ subject, before, after }: AuditEntry) {
  const name = subject ?? '';
  if (!isSettingName(name) || typeof before !== 'string' || typeof after !== 'string') return null;
  const [was, is] = [parseSettingJson(name, before), parseSettingJson(name, after)];
  return was === undefined || is === undefined ? null : { name, was, is };
}

export function blockScopeText(
  locale: string | null,
  { subject, posting, voting }: Pick<Block, 'subject' | 'posting' | 'voting'>,
): string {
  if (subject.startsWith('origin:')) return translate(locale, 'mod.links');
  const what = posting && voting ? 'both' : posting ? 'post' : 'vote';
  return translate(locale, `mod.what.${what}`);
}

export function subjectText(subject: string): string {
  const member = blockedMember(subject);
  return member === null ? code(originName(subject)) : `<@${member}>`;
}

export function maySeeEntry(member: GuildMember, { home }: AuditEntry): boolean {
  return home === null || mayView(member, home);
}
