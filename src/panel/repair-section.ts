import { answer, showProgress } from '../discord/interactions/answer.ts';
import { mentions } from '../text/mentions.ts';
import { readArticles } from '../ranking/articles/articles.ts';
import { recountGuild } from '../votes/recount/recount-guild.ts';
import { rebuildGuild } from '../history/rebuild/rebuild-guild.ts';
import { readProgress, type RebuildStep } from '../history/rebuild/stored-rebuilds.ts';
import { repairsIn } from '../votes/recount/report.ts';
import { unreadText } from '../history/walk/channels.ts';
import { MINUTE_MS } from '../runtime/clock.ts';
import { translate } from '../text/catalogue.ts';
import type { Section } from './section.ts';

const CHANNELS_NAMED_AT_MOST = 50;

export const rebuild: Section = {
  async open(interaction, needs) {
    const { guild, guildId, locale } = interaction;
    await answer(interaction, translate(locale, 'rebuild.begun'));
    // What it leaves, or what dies with this process, is read later.
    await needs.due.plan(guildId, 'rebuild', needs.clock.now() + MINUTE_MS);
    const progress = showProgress(interaction);
    const onStep = (step: RebuildStep): void => {
      needs.rebuilding.set(guildId, step);
      progress.show(() => ({ content: translate(locale, 'rebuild.step', { ...step }) }));
    };
    const outcome = await rebuildGuild(needs, guild, { onStep }).catch((error: unknown) => {
      if (needs.stopping.aborted) return null;
      throw error;
    });
    switch (outcome?.status) {
      case 'held': {
        const articles = (await readProgress(needs.store, guildId))?.articles ?? 0;
        await progress.end({ content: translate(locale, 'rebuild.held', { articles }) });
        break;
      }
      case 'finished': {
        needs.rebuilding.delete(guildId);
        const lines = [translate(locale, 'rebuild.finished', { articles: outcome.articles })];
        const channels = unreadText(locale, outcome.unread);
        if (channels !== '') lines.push(translate(locale, 'rebuild.unread', { channels }));
        await progress.end({ content: lines.join('\n') });
        break;
      }
      // The next process continues. A rebuild that a manager asks for is never unneeded.
      case undefined:
      case 'unneeded':
        await progress.end({ content: translate(locale, 'rebuild.goes-on') });
        break;
      default:
        outcome satisfies never;
    }
  },
};

export const recount: Section = {
  async open(interaction, needs) {
    const { guildId, locale } = interaction;
    await answer(interaction, translate(locale, 'recount.begun'));
    const report = await recountGuild(needs, guildId, { full: true });
    const { articles, read, added, removed, switched, gone } = report;
    const key = repairsIn(report) === 0 ? 'recount.right' : 'recount.finished';
    const lines = [translate(locale, key, { articles, read, added, removed, switched, gone })];
    const { unread, unsettled, hidden } = report;
    const left = [...unread, ...unsettled, ...hidden];
    if (left.length > 0) {
      const known = await readArticles(needs.ranking, guildId, left);
      const named = [...new Set(known.flatMap((article) => article?.channel ?? []))];
      const channels = mentions('#', named.slice(0, CHANNELS_NAMED_AT_MOST));
      lines.push(translate(locale, 'recount.unread', { articles: left.length, channels }));
    }
    await showProgress(interaction).end({ content: lines.join('\n') });
  },
};
