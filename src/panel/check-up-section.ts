import type { Guild } from 'discord.js';
import { readThreadless } from '../articles/messages/discussion.ts';
import { readBoard, type StoredBoard } from '../board/stored-board.ts';
import { MESSAGE_PERMISSIONS } from '../discord/access/permissions.ts';
import { digestTitle, nextText } from '../digests/command/describe.ts';
import { deadInDigest } from '../digests/dead-references.ts';
import { betterRhythm } from '../digests/schedule/rhythm.ts';
import { readPosting } from '../ranking/articles/fit-span.ts';
import { brokenText, DIGEST_PERMISSIONS } from '../digests/posting/posting-context.ts';
import { brokenReason } from '../digests/schedule/due.ts';
import { answer } from '../discord/interactions/answer.ts';
import type { GuildCommand, GuildComponent } from '../discord/commands/command.ts';
import { row } from '../discord/interactions/components.ts';
import { openButton } from './open-button.ts';
import { troubleText } from './board-section.ts';
import { checkFeeds } from './feeds-check.ts';
import { checkWork } from './troubles-text.ts';
import { checkChannel, checkGuild, type Finding, finding, named } from './checks.ts';
import { fitting } from '../text/clean.ts';
import { canHold } from '../digests/command/can-hold.ts';
import { readDigests, type StoredDigest } from '../digests/stored-digests.ts';
import { readLostSigns } from '../community/vote-offer.ts';
import { hasChannel } from '../community/dead-references.ts';
import { lacksRecords } from '../community/lost-records.ts';
import { readRebuildState, readUnread } from '../history/rebuild/stored-rebuilds.ts';
import { unreadText } from '../history/walk/channels.ts';
import { translate } from '../text/catalogue.ts';
import { build } from '../runtime/version.ts';
import { limits } from '../discord/limits.ts';
import type { Twin } from '../discord/twin.ts';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import { timestamp } from '../text/mentions.ts';
import type { PanelNeeds, Section } from './section.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';

const signs = { ok: '✅', warning: '⚠️', broken: '❌' };
const colours = { ok: 0x2d7d46, warning: 0xf0b232, broken: 0xd83c3e };

type Part = 'channels' | 'digests' | 'record' | 'work';

export const checkUp: Section = {
  async open(interaction, needs) {
    const { locale } = interaction;
    const parts = await findingsOf(interaction, needs, { hasPreviews: true });
    const more = (left: number) => translate(locale, 'mod.more', { more: left });
    const fields = Object.entries(parts).map(([part, findings]) => {
      const lines = findings.map(({ state, text }) => `${signs[state]} ${text}`);
      return {
        name: translate(locale, `check-up.part.${part as Part}`),
        value: fitting(lines, { length: limits.embedFieldLength, more }),
      };
    });
    const worst = worstOf(parts);
    const title = translate(locale, `check-up.title.${worst}`);
    const footer = { text: `Frontpage ${build} · Node ${process.versions.node}` };
    const command = (of: 'import' | 'restore') =>
      `/${translate(locale, 'command.frontpage.name')} ${translate(locale, `command.frontpage.${of}.name`)}`;
    const description = translate(locale, 'frontpage.more', {
      import: command('import'),
      restore: command('restore'),
    });
    const buttons = ['recount', 'rebuild', 'export'] as const;
    await answer(interaction, {
      embeds: [{ color: colours[worst], title, description, footer, fields }],
      components: [row(...buttons.map((name) => openButton(locale, name)))],
    });
  },
};

type Parts = Partial<Record<Part, Finding[]>>;

/** What is checked, by part. `hasPreviews`: digests say what is in their next edition so far. */
export async function findingsOf(
  interaction: GuildCommand | GuildComponent,
  needs: PanelNeeds,
  { hasPreviews }: { hasPreviews: boolean },
): Promise<Parts> {
  const { guild, guildId, locale } = interaction;
  const [{ settings }, threadless, ofBoard, ofDigests, ofRecord] = await Promise.all([
    needs.rules.refresh(guildId),
    readThreadless(needs.store, guildId),
    boardOf(interaction, needs),
    digests(interaction, needs, hasPreviews),
    record(interaction, needs),
  ]);
  const { announcements } = settings;
  const [lostSigns, ofWork, ofFeeds] = await Promise.all([
    readLostSigns(guild, settings),
    checkWork(locale, guildId, { ...needs, announcements }),
    checkFeeds(interaction, needs, settings),
  ]);
  return {
    channels: [
      ...checkGuild(locale, guild, settings, { ...needs, threadless, lostSigns }),
      ...ofFeeds,
      ...ofBoard,
    ],
    digests: ofDigests,
    record: ofRecord,
    ...(ofWork.length > 0 ? { work: ofWork } : {}),
  };
}

export function worstOf(parts: Parts): Finding['state'] {
  const states = Object.values(parts).flatMap((findings) => findings.map(({ state }) => state));
  return (['broken', 'warning'] as const).find((state) => states.includes(state)) ?? 'ok';
}

/** A line for each thing that is wrong, the worst first. */
export function wrongLines(parts: Parts): string[] {
  const all = Object.values(parts).flat();
  return (['broken', 'warning'] as const).flatMap((state) =>
    all.filter((one) => one.state === state).map(({ text }) => `${signs[state]} ${text}`),
  );
}

type Asked = Pick<GuildComponent, 'guild' | 'guildId' | 'locale'>;

async function boardOf({ guild, locale }: Asked, { store }: { store: Store }): Promise<Finding[]> {
  const board = await readBoard(store, guild.id);
  if (board === null) return [];
  return [
    named(locale, translate(locale, 'frontpage.button.board'), checkBoard(locale, guild, board)),
  ];
}

/** How the board is, with what to do where it is not well. */
export function checkBoard(locale: string, guild: Guild, { choice, state }: StoredBoard): Finding {
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
  { guild, locale }: Asked,
  {
    store,
    rules,
    ranking,
    clock,
    digests: opened,
  }: Pick<PanelNeeds, 'store' | 'rules' | 'ranking' | 'clock' | 'digests'>,
  hasPreviews: boolean,
): Promise<Finding[]> {
  const { settings } = await rules.read(guild.id);
  const digests = await readDigests(store, guild.id);
  if (digests.length === 0) return [finding(locale, 'warning', 'check-up.digests.none')];
  const posting = await readPosting(ranking, { guild: guild.id }, clock.now());
  const check = async (stored: StoredDigest): Promise<Finding> => {
    const { digest, run } = stored;
    const name = digestTitle(locale, stored);
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
    if (!canHold(guild, settings, digest)) {
      return named(locale, name, finding(locale, 'warning', 'check-up.digest.closed'));
    }
    const better = betterRhythm(digest, posting);
    if (better !== null) {
      const aDay = Math.max(1, Math.round(posting.articles / posting.days));
      const text = finding(locale, 'warning', `check-up.digest.${better}`, { count: aDay });
      return named(locale, name, text);
    }
    const at = `${name} · <#${digest.channel}> · ${nextText(stored)}`;
    if (!hasPreviews) return { state: 'ok', text: at };
    const { draft } = await opened.preview(guild, stored);
    const count = draft.shown?.articles.length ?? 0;
    const next = translate(locale, 'check-up.digest.next', { count });
    return { state: 'ok', text: `${at} · ${next}` };
  };
  const findings: Finding[] = [];
  for (const stored of digests) findings.push(await check(stored));
  return findings;
}

async function record(
  { guildId, locale }: Asked,
  needs: { ranking: Ranking; store: Store; twin: Twin; clock: Clock },
): Promise<Finding[]> {
  const [state, isLost, unread] = await Promise.all([
    readRebuildState(needs.store, guildId),
    lacksRecords(needs, guildId),
    readUnread(needs.store, guildId),
  ]);
  const findings: Finding[] = [];
  const twinMs = needs.twin.seenAtMs();
  if (twinMs !== null && needs.clock.now() - twinMs < DAY_MS) {
    findings.push(finding(locale, 'broken', 'check-up.twin', { when: timestamp(twinMs, 'R') }));
  }
  if (state.begun) findings.push(finding(locale, 'warning', 'check-up.record.rebuilding'));
  if (isLost) findings.push(finding(locale, 'warning', 'check-up.record.lost'));
  if (unread.length > 0) {
    const channels = unreadText(locale, unread.slice(0, 10));
    findings.push(finding(locale, 'broken', 'check-up.record.unread', { channels }));
  }
  return findings.length > 0 ? findings : [finding(locale, 'ok', 'check-up.record.ok')];
}
