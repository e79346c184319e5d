import type { Guild } from 'discord.js';
import { readThreadless } from '../articles/messages/discussion.ts';
import { readBoard, type StoredBoard } from '../board/stored-board.ts';
import { MESSAGE_PERMISSIONS } from '../discord/access/permissions.ts';
import { nextText } from '../digests/command/describe.ts';
import { deadInDigest } from '../digests/dead-references.ts';
import { titleOf } from '../digests/content/edition-message.ts';
import { brokenText, DIGEST_PERMISSIONS } from '../digests/posting/posting-context.ts';
import { brokenReason } from '../digests/schedule/due.ts';
import { answer } from '../discord/interactions/answer.ts';
import type { GuildComponent } from '../discord/commands/command.ts';
import { troubleText } from './board-section.ts';
import { checkChannel, checkGuild, type Finding, finding, named } from './checks.ts';
import { fitting } from '../text/clean.ts';
import { readDigests } from '../digests/stored-digests.ts';
import { hasChannel } from '../community/dead-references.ts';
import { lacksRecords } from '../community/lost-records.ts';
import { readRebuildState, readUnread } from '../history/rebuild/stored-rebuilds.ts';
import { unreadText } from '../history/walk/channels.ts';
import { translate } from '../text/catalogue.ts';
import { version } from '../runtime/version.ts';
import { limits } from '../discord/limits.ts';
import type { Section } from './section.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';

const signs = { ok: '✅', warning: '⚠️', broken: '❌' };
const colours = { ok: 0x2d7d46, warning: 0xf0b232, broken: 0xd83c3e };

export const checkUp: Section = {
  async open(interaction, needs) {
    const { guild, guildId, locale } = interaction;
    const [{ settings }, threadless, ofBoard, ofDigests, ofRecord] = await Promise.all([
      needs.rules.refresh(guildId),
      readThreadless(needs.store, guildId),
      boardOf(interaction, needs),
      digests(interaction, needs),
      record(interaction, needs),
    ]);
    const parts = {
      channels: [...checkGuild(locale, guild, settings, { ...needs, threadless }), ...ofBoard],
      digests: ofDigests,
      record: ofRecord,
    };
    const states = Object.values(parts).flatMap((findings) => findings.map(({ state }) => state));
    const worst = (['broken', 'warning'] as const).find((state) => states.includes(state)) ?? 'ok';
    const more = (left: number) => translate(locale, 'mod.more', { more: left });
    const fields = Object.entries(parts).map(([part, findings]) => {
      const lines = findings.map(({ state, text }) => `${signs[state]} ${text}`);
      return {
        name: translate(locale, `check-up.part.${part as keyof typeof parts}`),
        value: fitting(lines, { length: limits.embedFieldLength, more }),
      };
    });
    const title = translate(locale, `check-up.title.${worst}`);
    const footer = { text: `Frontpage ${version} · Node ${process.versions.node}` };
    await answer(interaction, { embeds: [{ color: colours[worst], title, footer, fields }] });
  },
};

async function boardOf(
  { guild, locale }: GuildComponent,
  { store }: { store: Store },
): Promise<Finding[]> {
  const board = await readBoard(store, guild.id);
  if (board === null) return [];
  return [
    named(locale, translate(locale, 'frontpage.button.board'), checkBoard(locale, guild, board)),
  ];
}

function checkBoard(locale: string, guild: Guild, { choice, state }: StoredBoard): Finding {
  const { channel } = choice;
  if (!hasChannel(guild, channel)) return finding(locale, 'broken', 'board.gone');
  const found = checkChannel(locale, guild, channel, MESSAGE_PERMISSIONS);
  if (found.state !== 'ok') return found;
  if (state.deleted) {
    return finding(locale, 'warning', 'board.panel.deleted', { channel: `<#${channel}>` });
  }
  // Permissions that were missing are there again.
  if (state.trouble === null || state.trouble.reason === 'missing') return found;
  return { state: 'broken', text: troubleText(locale, channel, state.trouble) };
}

async function digests(
  { guild, locale }: GuildComponent,
  { store }: { store: Store },
): Promise<Finding[]> {
  const digests = await readDigests(store, guild.id);
  if (digests.length === 0) return [finding(locale, 'warning', 'check-up.digests.none')];
  return digests.map((stored) => {
    const { digest, run } = stored;
    const name = titleOf(locale, stored.name);
    const broken = brokenReason(digest, run);
    if (broken !== null) {
      const text = brokenText(locale, digest.channel, broken);
      return named(locale, name, { state: 'broken', text });
    }
    if (!hasChannel(guild, digest.channel)) {
      return named(locale, name, finding(locale, 'broken', 'check-up.digest.gone'));
    }
    const found = checkChannel(locale, guild, digest.channel, DIGEST_PERMISSIONS);
    if (found.state !== 'ok') return named(locale, name, found);
    if (deadInDigest(guild, digest).length > 0) {
      return named(locale, name, finding(locale, 'warning', 'check-up.digest.gone'));
    }
    return { state: 'ok', text: `${name} · <#${digest.channel}> · ${nextText(stored)}` };
  });
}

async function record(
  { guildId, locale }: GuildComponent,
  needs: { ranking: Ranking; store: Store },
): Promise<Finding[]> {
  const [state, isLost, unread] = await Promise.all([
    readRebuildState(needs.store, guildId),
    lacksRecords(needs, guildId),
    readUnread(needs.store, guildId),
  ]);
  const findings: Finding[] = [];
  if (state.begun) findings.push(finding(locale, 'warning', 'check-up.record.rebuilding'));
  if (isLost) findings.push(finding(locale, 'warning', 'check-up.record.lost'));
  if (unread.length > 0) {
    const channels = unreadText(locale, unread.slice(0, 10));
    findings.push(finding(locale, 'broken', 'check-up.record.unread', { channels }));
  }
  return findings.length > 0 ? findings : [finding(locale, 'ok', 'check-up.record.ok')];
}
