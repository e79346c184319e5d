import type { APIMessage, Guild } from 'discord.js';
import { Routes } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { groupOf, isListed } from '../../discord/access/visibility.ts';
import { limits } from '../../discord/limits.ts';
import { readPage } from '../../discord/requests/read-messages.ts';
import { isOfOneChannel } from '../../discord/requests/refusals.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { findByLink, namesInChannel } from '../../ranking/links/reservations.ts';
import { compareIds, snowflakeAt } from '../../runtime/snowflake.ts';
import { countsOf } from '../../votes/recount/counts.ts';
import { channelsOf, type HistoryChannel } from '../walk/channels.ts';
import { isUnwanted, readMessageLink } from './import-message.ts';
import { signsOfToday } from '../../community/vote-offer.ts';
import type { ImportNeeds, Preview, PreviewedLink } from './import-needs.ts';
import type { Plan } from './stored-imports.ts';
import { isImported } from '../../articles/imported.ts';

const BEST = 5;
/** A preview reads at most this many messages of a channel, and makes this many requests in all. */
const PAGES_OF_CHANNEL = 3;
const PAGES_IN_ALL = 30;

/**
 * Reads the newest messages of each channel in turn, without changing anything, and tells after each
 * page what would come.
 */
export async function previewImport(
  needs: ImportNeeds,
  guild: Guild,
  plan: Plan,
  { signal, onStep }: { signal: AbortSignal; onStep: (preview: Preview) => void },
): Promise<Preview> {
  const { requests } = needs;
  const groups = plan.channels.flatMap((id) => {
    const channel = guild.channels.cache.get(id);
    const group = channel ? groupOf(channel) : null;
    return group && mayReadHistory(group) ? [group] : [];
  });
  const found = new Map<string, PreviewedLink>();
  const preview: Preview = {
    messages: 0,
    articles: 0,
    best: [],
    left: { duplicate: 0, unwanted: 0, known: 0, refused: 0, bot: 0 },
    isWhole: true,
  };
  let targets = channelsOf(groups).map((target) => ({ target, before: snowflakeAt(plan.untilMs) }));
  let requestsLeft = PAGES_IN_ALL;
  for (let page = 0; page < PAGES_OF_CHANNEL && targets.length > 0; page += 1) {
    const next: typeof targets = [];
    for (const { target, before } of targets) {
      if (requestsLeft === 0) {
        // It is not looked at, so the preview is not of all.
        next.push({ target, before });
        continue;
      }
      requestsLeft -= 1;
      const query = { limit: String(limits.pageSize), before };
      const route = Routes.channelMessages(target.channel);
      const messages = await requests
        .get(target, route, query)
        .then((read) => readPage(read).messages.sort((a, b) => compareIds(b.id, a.id)))
        .catch(nothingIfUnread);
      const within = messages.filter(({ id }) => compareIds(id, snowflakeAt(plan.fromMs)) >= 0);
      for (const message of within) await look(needs, target, message, found, preview);
      const last = messages.at(-1);
      if (last && within.length === messages.length) next.push({ target, before: last.id });
      preview.best = [...found.values()]
        .sort((a, b) => b.up - b.down - (a.up - a.down) || compareIds(b.id, a.id))
        .slice(0, BEST);
      preview.articles = found.size;
      preview.isWhole = false;
      // Another choice was made while it was read.
      signal.throwIfAborted();
      onStep(preview);
    }
    targets = next;
  }
  preview.isWhole = targets.length === 0;
  return preview;
}

async function look(
  needs: ImportNeeds,
  { group }: HistoryChannel,
  message: APIMessage,
  found: Map<string, PreviewedLink>,
  preview: Preview,
): Promise<void> {
  const { ranking, store, self } = needs;
  const { left } = preview;
  const { id, channel_id: channel } = message;
  preview.messages += 1;
  const read = readMessageLink(message);
  if (read.status === 'bot' && message.author.id !== self) left.bot += 1;
  if (read.status === 'refused') left.refused += 1;
  if (read.status !== 'found') return;
  if (await isUnwanted(needs, message, group.guildId, read)) {
    left.unwanted += 1;
    return;
  }
  const [name = ''] = namesInChannel(group.id, read.link.canonical, isListed(group));
  const owner = await findByLink(ranking, group.guildId, name);
  const isOther = owner !== null && !(await isImported(store, group.guildId, owner));
  if (owner === id || (isOther && (await readArticle(ranking, group.guildId, owner))?.listed)) {
    left.known += 1;
    return;
  }
  const before = found.get(name);
  if (before) left.duplicate += 1;
  // An earlier message has the link.
  if (before && compareIds(before.id, id) < 0) return;
  const { up, down } = countsOf(message, await signsOfToday(needs, group.guildId));
  const { title, link } = read;
  found.set(name, { id, channel, title, link: link.href, up: 1 + up, down });
}

function nothingIfUnread(error: unknown): APIMessage[] {
  if (isOfOneChannel(error)) return [];
  throw error;
}
