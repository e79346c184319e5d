import { answer } from '../../src/discord/interactions/answer.ts';
import type { App, RecountParts } from '../../src/app.ts';
import { mentions } from '../../src/text/mentions.ts';
import { readArticles } from '../../src/ranking/articles/articles.ts';
import type { Snowflake } from '../../src/ranking/snowflake.ts';
import type { GuildComponent } from '../../src/discord/commands/command.ts';
import { showProgress } from '../../src/discord/interactions/progress-message.ts';
import { recountGuild } from '../../src/recount/compare.ts';
import {
  importData,
  importHistory,
  importPressed,
} from '../../src/recount/import/import-command.ts';
import { rebuildGuild, type RebuildOutcome } from '../../src/recount/rebuild/rebuild-guild.ts';
import { readProgress } from '../../src/records/history/rebuilds.ts';
import { unreadText } from '../../src/recount/history/unread.ts';
import { translate } from '../../src/text/catalogue.ts';
import type { Section } from './section.ts';

const NAMED_AT_MOST = 50;

export const rebuildSection: Section = {
  open: rebuild,
};

export const recountSection: Section = {
  open: recount,
};

export const importSection: Section = {
  option: importData,
  run: importHistory,
  component: importPressed,
};

async function rebuild(
  interaction: GuildComponent,
  app: RecountParts & Pick<App, 'rebuilding'>,
): Promise<void> {
  const { guild, guildId, locale } = interaction;
  await answer(interaction, translate(locale, 'rebuild.begun'));
  const progress = showProgress(interaction);
  let outcome: RebuildOutcome;
  try {
    outcome = await rebuildGuild(app, guild, {
      onStep: (step) => {
        app.rebuilding.set(guildId, step);
        progress.show(() => ({ content: translate(locale, 'rebuild.step', { ...step }) }));
      },
    });
  } catch (error) {
    if (!app.stopping.aborted) throw error;
    // The next process continues.
    await progress.end({ content: translate(locale, 'rebuild.goes-on') });
    return;
  }
  if (outcome.status !== 'held') app.rebuilding.delete(guildId);
  await progress.end({ content: await outcomeText(outcome, interaction, app) });
}

async function outcomeText(
  outcome: RebuildOutcome,
  { guildId, locale }: GuildComponent,
  { store }: Pick<App, 'store'>,
): Promise<string> {
  if (outcome.status === 'held') {
    const articles = (await readProgress(store, guildId))?.articles ?? 0;
    return translate(locale, 'rebuild.held', { articles });
  }
  const { articles, unread } = outcome;
  const done = translate(locale, 'rebuild.finished', { articles });
  if (unread.length === 0) return done;
  const channels = unreadText(locale, unread);
  return [done, translate(locale, 'rebuild.unread', { channels })].join('\n');
}

async function recount(interaction: GuildComponent, app: RecountParts): Promise<void> {
  const { guildId, locale } = interaction;
  await answer(interaction, translate(locale, 'recount.begun'));
  const { unread, hidden, articles, added, removed, switched, gone } = await recountGuild(
    app,
    guildId,
    { full: true },
  );
  const isRight = added + removed + switched + gone === 0;
  const lines = [
    isRight
      ? translate(locale, 'recount.right', { articles })
      : translate(locale, 'recount.finished', { articles, added, removed, switched, gone }),
  ];
  const left = [...unread, ...hidden];
  if (left.length > 0) {
    const known = await readArticles(app.ranking, guildId, left);
    const channels = channelsText(known.flatMap((article) => article?.channel ?? []));
    lines.push(translate(locale, 'recount.unread', { articles: left.length, channels }));
  }
  await showProgress(interaction).end({ content: lines.join('\n') });
}

function channelsText(channels: readonly Snowflake[]): string {
  return mentions('#', [...new Set(channels)].slice(0, NAMED_AT_MOST));
}
