import { type AnyThreadChannel, type Client, MessageFlags } from 'discord.js';
import { isImported } from '../articles/imported.ts';
import { isOptedOut } from '../community/opted-out.ts';
import { languageOfGuild } from '../community/settings.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import { missingPermissions } from '../discord/access/permissions.ts';
import { type ActionRow, button, row } from '../discord/interactions/components.ts';
import { nonceOf } from '../discord/requests/requests.ts';
import type { Earlier } from '../earlier/earlier.ts';
import type { Held, Kind, Next } from '../due/kind.ts';
import { editionHeading } from '../editions/edition-title.ts';
import { readEdition } from '../editions/stored-editions.ts';
import { keepShown, type KeepShownNeeds } from '../messages/keep-shown.ts';
import { type Article, readArticle } from '../ranking/articles/articles.ts';
import { type Outcome, readOutcomes, toldField } from '../ranking/outcomes.ts';
import { guildKeys } from '../ranking/keys.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { netVotesText } from '../text/facts.ts';
import { messageLink } from '../text/mentions.ts';

export interface ToldLinesNeeds extends KeepShownNeeds {
  /** Its cache knows the threads that are open. */
  client: Client;
  /** Where the articles are, and what became of them. */
  ranking: Ranking;
  /** Where editions are, and who opted out. */
  store: Store;
  /** The guild's language. */
  rules: GuildRules;
  /** What was there before on an article's subject. */
  earlier: Pick<Earlier, 'hasInThread'>;
}

/** A line: its letter in what was told, what it says, a part of it that no language changes, and what stands below it. */
type Line = { letter: string; text: string; mark: string; button?: ActionRow };

/**
 * What an article's thread is told: at first that something on its subject was there before; later that it became interesting, led an edition, was first for a day, and its result;
 * once each, without a notification. A thread that is not there is not made for it, and an archived one stays so. The row is planned
 * where that may have become so: by who edits its message, posts the edition, or reads the list.
 */
export function toldLinesKind(needs: ToldLinesNeeds): Kind {
  return { name: 'tell', sideBySide: 8, run: (held) => tell(needs, held) };
}

const DONE: Next = { atMs: null };

async function tell(needs: ToldLinesNeeds, held: Held): Promise<Next> {
  const { client, ranking, store, rules } = needs;
  const { guild, id, notes, write } = held;
  const article = await readArticle(ranking, guild, id);
  const of = client.guilds.cache.get(guild);
  if (article === null || of === undefined || (await isImported(store, guild, id))) return DONE;
  const [outcome] = await readOutcomes(ranking, guild, [id]);
  const locale = languageOfGuild(await rules.read(guild), of) ?? 'en';
  const lines = await linesOf(needs, guild, article, outcome!, locale);
  if (notes.has('earlier') && !article.closed && (await needs.earlier.hasInThread(guild, article)))
    lines.unshift(earlierLine(id, locale));
  const thread = openThread(client, id);
  const isQuiet = thread === null || (await isOptedOut(store, guild, article.poster));
  const { outcomes } = guildKeys(ranking, guild);
  let { told } = outcome!;
  for (const line of lines) {
    if (told.toLowerCase().includes(line.letter)) continue;
    const isSaid = !isQuiet && (await say(needs, held, thread, line));
    told += isSaid ? line.letter : line.letter.toUpperCase();
    await write({ [toldField(id)]: told }, outcomes);
  }
  return DONE;
}

/** Without a title: of what is removed, erased or hidden later, none is to stand in others' threads. */
function earlierLine(id: Snowflake, locale: string): Line {
  const show = button(`why-this-rank|earlier|${id}`, translate(locale, 'earlier.title'));
  return {
    letter: 'e',
    text: translate(locale, 'told.earlier'),
    mark: '-# ◂',
    button: row(show),
  };
}

/** A line opens no archived thread, and only moderators write in a locked one. */
function openThread(client: Client, id: Snowflake): AnyThreadChannel | null {
  const thread = client.channels.cache.get(id);
  return thread?.isThread() && thread.archived !== true && thread.locked !== true ? thread : null;
}

/** Of a closed article its result alone, which says the best of it. */
async function linesOf(
  { store }: ToldLinesNeeds,
  guild: Snowflake,
  { up, down, interesting, closed }: Article,
  { best, led, firstSinceMs }: Outcome,
  locale: string,
): Promise<Line[]> {
  // What nobody else liked needs no line.
  if (closed && up - down <= 1) return [];
  if (closed) {
    const votes = netVotesText(locale, { up, down });
    const over = translate(locale, 'article.closed');
    const place = best === null ? [] : [translate(locale, 'told.best', { place: `#${best}` })];
    return [{ letter: 'c', text: [votes, over, ...place].join(' · '), mark: '-# ▲' }];
  }
  const lines: Line[] = [];
  if (interesting) {
    lines.push({ letter: 's', text: translate(locale, 'told.interesting'), mark: '-# ★' });
  }
  const [first] = led;
  const edition = first && (await readEdition(store, guild, first));
  if (first && edition?.message) {
    const link = messageLink(guild, { channel: edition.channel, id: edition.message });
    const name = editionHeading(locale, { ...first, edition });
    lines.push({ letter: 'l', text: translate(locale, 'told.led', { name, link }), mark: link });
  }
  if (firstSinceMs !== null)
    lines.push({
      letter: 'f',
      text: translate(locale, 'told.first', { place: '#1' }),
      mark: '-# #1',
    });
  return lines;
}

/** Whether the line stands in the thread now. What Discord refuses is passed over. */
async function say(
  needs: ToldLinesNeeds,
  { guild, notes, write }: Held,
  thread: AnyThreadChannel,
  { letter, text, mark, button: below }: Line,
): Promise<boolean> {
  const shown = await keepShown(
    needs,
    {
      target: { guild, channel: thread.id },
      nonce: nonceOf(guild, 'tell', thread.id, letter),
      matches: (content) => content.startsWith('-# ') && content.includes(mark),
      sinceMs: snowflakeTimeMs(thread.id),
      mayReadBack: missingPermissions(thread, ['ReadMessageHistory']).length === 0,
      write: async () => ({
        content: `-# ${text}`,
        ...(below && { components: [below] }),
        allowed_mentions: { parse: [] },
        flags: MessageFlags.SuppressNotifications,
      }),
    },
    {
      isTried: notes.get('tried') === letter,
      async hold(isTry) {
        await write(isTry ? { tried: letter } : {});
        return true;
      },
    },
  );
  return shown.status === 'shown' || shown.status === 'unknown';
}
