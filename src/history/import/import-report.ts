import { type APIMessage, type Client, DiscordAPIError, Routes } from 'discord.js';
import { z } from 'zod';
import { languageOfGuild } from '../../community/settings.ts';
import { articleItems } from '../../articles/lists/article-item.ts';
import { itemContext } from '../../articles/lists/item-context.ts';
import { isEditLimit } from '../../discord/api-errors.ts';
import { button, card, row } from '../../discord/interactions/components.ts';
import { limits } from '../../discord/limits.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { fault } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { mentions, timestamp } from '../../text/mentions.ts';
import { groupOfUnread, unreadText } from '../walk/channels.ts';
import type { ImportNeeds } from './import-needs.ts';
import {
  countVotes,
  FATES,
  type ImportState,
  type LostImport,
  mayUndo,
  type Phase,
  type Plan,
  walkMade,
  zPlan,
} from './stored-imports.ts';

/** Discord limits edits of older messages in a way that it does not publish. */
const EDIT_EVERY_MS = 10_000;
export const BEST = 10;

type Pace = { perSecond: number; leftMs: number | null };

/**
 * The last line: what was asked for, without a word of a language, so that it survives Redis. Empty if none of
 * its channels is there any more.
 */
function planLine({ channels, fromMs, untilMs }: Plan): string {
  if (channels.length === 0) return '';
  const days = `${timestamp(fromMs, 'd')} – ${timestamp(untilMs, 'd')}`;
  return `\n-# ${mentions('#', channels)} · ${days}`;
}

/** Without what was deleted since: Discord would show a dead mention. */
export function shownState(client: Client, guild: Snowflake, state: ImportState): ImportState {
  const there = client.guilds.cache.get(guild)?.channels.cache;
  if (there === undefined) return state;
  const { plan, unread } = state;
  return {
    ...state,
    plan: { ...plan, channels: plan.channels.filter((id) => there.has(id)) },
    unread: unread.filter((one) => there.has(groupOfUnread(one))),
  };
}

const line = /^-# ((?:<#\d+> ?)+) · <t:(\d{1,11}):d> – <t:(\d{1,11}):d>$/;
const zButtons = z.array(z.object({ components: z.array(z.object({ custom_id: z.string() })) }));

/**
 * What an import was asked for, read from the bot's own message of its progress or report. Null for any
 * other message, and for an import that was undone.
 */
export function readReport(message: APIMessage): LostImport | null {
  const rows = zButtons.safeParse(message.components).data ?? [];
  const isReport = rows.some(({ components }) =>
    components.some(({ custom_id: id }) => /^frontpage\|import\|(?:pause|resume|undo)$/.test(id)),
  );
  const found = isReport ? line.exec(message.content.split('\n').at(-1) ?? '') : null;
  if (found === null) return null;
  const [, channels = '', from, until] = found;
  const plan = zPlan.safeParse({
    channels: [...channels.matchAll(/\d+/g)].map(([id]) => id),
    fromMs: Number(from) * 1000,
    untilMs: Number(until) * 1000,
  });
  return plan.success ? { ...plan.data, report: message.channel_id } : null;
}

/** The progress of an import that runs, waits or is paused. */
function progressMessage(
  locale: string | null,
  state: ImportState,
  { articles, pace, isWaiting }: { articles: number; pace: Pace | null; isWaiting: boolean },
) {
  const { plan, counts, phase } = state;
  const read = { messages: counts.messages, articles };
  const left = pace?.leftMs ?? null;
  const key = isWaiting ? 'import.waits' : phase === 'paused' ? 'import.paused' : 'import.running';
  const isMoving = pace !== null && phase === 'running' && !isWaiting;
  const facts = [
    ...(isMoving ? [translate(locale, 'import.pace', { rate: Math.round(pace.perSecond) })] : []),
    ...(isMoving && left !== null
      ? [translate(locale, 'import.left', { minutes: Math.max(1, Math.ceil(left / MINUTE_MS)) })]
      : []),
  ];
  const content = [
    translate(locale, key, { ...read, channels: mentions('#', plan.channels.slice(0, 5)) }),
    ...(facts.length > 0 ? [facts.join(' · ')] : []),
  ].join('\n');
  const turn = phase === 'paused' ? 'resume' : 'pause';
  const components = [
    row(
      button(`frontpage|import|${turn}`, translate(locale, `import.button.${turn}`)),
      button('frontpage|import|stop', translate(locale, 'import.button.stop'), 'danger'),
    ),
  ];
  return { content: content + planLine(plan), components, embeds: [] };
}

/** What a report says first in each phase. An end that was asked for may not be written down yet. */
const END_KEYS = {
  running: 'import.stopped',
  paused: 'import.stopped',
  stopping: 'import.stopped',
  undoing: 'import.undoing',
  finished: 'import.finished',
  stopped: 'import.stopped',
  undone: 'import.undone',
} as const satisfies Record<Phase, Key>;

/** How an import ended: what came, what was left out and why. */
export function endLines(
  locale: string | null,
  { phase, counts, unread }: ImportState,
  { articles, votes }: { articles: number; votes: number },
): string[] {
  const again = Math.max(0, counts.linked - articles);
  const skipped = FATES.filter((fate) => fate !== 'linked').filter((fate) => counts[fate] > 0);
  const channels = unreadText(locale, unread);
  const outcome = translate(locale, END_KEYS[phase], { messages: counts.messages, articles });
  if (phase === 'undone' || phase === 'undoing') return [outcome];
  return [
    outcome,
    ...(again > 0 || skipped.length > 0 ? [translate(locale, 'import.skipped')] : []),
    ...(again > 0 ? [`- ${translate(locale, 'import.again', { count: again })}`] : []),
    ...skipped.map(
      (fate) => `- ${translate(locale, `import.fate.${fate}`, { count: counts[fate] })}`,
    ),
    ...(counts.further > 0 ? [translate(locale, 'import.further', { count: counts.further })] : []),
    ...(votes > 0 ? [translate(locale, 'import.votes', { count: votes })] : []),
    ...(unread.length > 0 ? [translate(locale, 'import.unread', { channels })] : []),
  ];
}

/** The report of an import that ended, with its ten best articles. */
async function reportMessage(needs: ImportNeeds, guild: Snowflake, ended: ImportState) {
  const { store, client } = needs;
  const state = shownState(client, guild, ended);
  const locale = await languageOf(needs, guild);
  const [best, votes] = await Promise.all([
    bestArticles(needs, guild, state.report.channel),
    countVotes(store, guild),
  ]);
  const isUndone = state.phase === 'undone' || state.phase === 'undoing';
  const lines = endLines(locale, state, { articles: best.articles, votes });
  const context = await itemContext(needs, best.best, { guild, locale, ages: 'lasting' });
  const items = articleItems(best.best, context);
  const next = isUndone || items.length === 0 ? [] : [translate(locale, 'import.next')];
  const plan = isUndone ? '' : planLine(state.plan);
  // The last line must stay whole: from it an import is run again after Redis was emptied.
  const told = [...lines, ...next].join('\n').slice(0, limits.contentLength - plan.length);
  const buttons = [
    button('frontpage|setup|start', translate(locale, 'import.button.next'), 'main'),
    button('frontpage|board|open', translate(locale, 'frontpage.button.board')),
    ...(mayUndo(state, needs.clock.now())
      ? [button('frontpage|import|undo', translate(locale, 'import.button.undo'), 'danger')]
      : []),
  ];
  return {
    content: told + plan,
    embeds: items.length === 0 || isUndone ? [] : [card(translate(locale, 'import.best'), items)],
    components: isUndone ? [] : [row(...buttons)],
  };
}

/**
 * The articles of the last import with the most net votes that everyone may see in the channel of the
 * report, ten unless said, and the number of all of them.
 */
export async function bestArticles(
  { store, ranking }: Pick<ImportNeeds, 'store' | 'ranking'>,
  guild: Snowflake,
  shownIn: Snowflake,
  most = BEST,
): Promise<{ best: Article[]; articles: number }> {
  const ids = new Set<Snowflake>();
  let best: Article[] = [];
  for await (const page of walkMade(store, guild)) {
    const fresh = page.filter((id) => !ids.has(id));
    for (const id of fresh) ids.add(id);
    const found = await readArticles(ranking, guild, fresh);
    const shown = found.filter((one) => one !== null && (one.listed || one.home === shownIn));
    best = [...best, ...(shown as Article[])].sort(bestFirst).slice(0, most);
  }
  return { best, articles: ids.size };
}

/** Most net votes first, then the newest. */
export function bestFirst(a: Article, b: Article): number {
  return b.up - b.down - (a.up - a.down) || b.postedAtMs - a.postedAtMs;
}

/** The language of messages that the whole server reads. */
export async function languageOf(
  { rules, client }: Pick<ImportNeeds, 'rules' | 'client'>,
  guild: Snowflake,
): Promise<string | null> {
  return languageOfGuild(await rules.read(guild), client.guilds.cache.get(guild));
}

/** The one message of an import in its channel: its progress, and at the end its report. */
export interface ImportMessage {
  /** Shows the progress, at most every ten seconds unless it is `urgent`. */
  progress(
    shown: { articles: number; pace: Pace | null; isWaiting?: boolean },
    urgent?: boolean,
  ): Promise<void>;
  /** A new message, which tells those in the channel that the import is over. */
  end(): Promise<void>;
  /** Shows the report as it is now. */
  again(): Promise<void>;
}

export function openImportMessage(
  needs: ImportNeeds,
  guild: Snowflake,
  state: ImportState,
  /** Stores where the message is. */
  keep: () => Promise<void>,
): ImportMessage {
  const { client, requests, log } = needs;
  const { report } = state;
  const target = { guild, channel: report.channel };
  let shownMs = Number.NEGATIVE_INFINITY;

  async function send(message: object, ...about: string[]): Promise<Snowflake> {
    const nonce = nonceOf(guild, 'import', String(state.begunAtMs), ...about);
    const body = { ...message, allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
    const sent = await requests.ask(target, 'POST', () =>
      client.rest.post(Routes.channelMessages(report.channel), { body }),
    );
    return z.object({ id: z.string() }).parse(sent).id;
  }

  async function drop(message: Snowflake): Promise<void> {
    await requests.delete({ ...target, message }, Routes.channelMessage(report.channel, message));
  }

  /** Puts a message in place of the present one. */
  async function replace(message: object, ...about: string[]): Promise<void> {
    const before = report.message;
    report.message = await send(message, ...about);
    await keep();
    if (before !== null && before !== report.message) await quietly(drop(before));
  }

  async function edit(message: object): Promise<void> {
    if (report.message === null) return replace(message, 'progress');
    const route = Routes.channelMessage(report.channel, report.message);
    const body = { ...message, allowed_mentions: { parse: [] } };
    try {
      await requests.patch({ ...target, message: report.message }, route, body);
    } catch (error) {
      if (isEditLimit(error)) {
        return replace(message, 'progress', String(state.counts.messages));
      }
      throw error;
    }
  }

  /** An import goes on without its message: somebody deleted it, or the bot may not write there. */
  async function quietly(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      const isRefused = error instanceof ChannelRefused || error instanceof DiscordAPIError;
      if (!isRefused) throw error;
      log.info({ ...fault(error), ...target }, 'The message of an import could not be shown.');
    });
  }

  return {
    async progress(shown, urgent = false) {
      if (!urgent && performance.now() - shownMs < EDIT_EVERY_MS) return;
      shownMs = performance.now();
      const locale = await languageOf(needs, guild);
      const there = shownState(client, guild, state);
      await quietly(edit(progressMessage(locale, there, { isWaiting: false, ...shown })));
    },
    async end() {
      await quietly(replace(await reportMessage(needs, guild, state), 'report'));
    },
    async again() {
      await quietly(edit(await reportMessage(needs, guild, state)));
    },
  };
}
