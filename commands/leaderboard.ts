import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import { answer } from '../src/discord/answer.ts';
import { COLOUR } from '../src/articles/lists/page.ts';
import type { Command } from '../src/discord/commands/command.ts';
import { validOption } from '../src/discord/commands/options.ts';
import { choice, words } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { readLeaderboard } from '../src/ranking/lists/leaderboard.ts';

const periods = ['week', 'month', 'ever'] as const;
const shown = 10;

export default {
  data: {
    ...words('command.leaderboard'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        choices: periods.map((period) => choice(period, `top.period.${period}`)),
        ...words('command.leaderboard.period'),
      },
    ],
  },
  readOnly: true,

  async run(interaction, app) {
    const { guildId, locale, user } = interaction;
    const period = validOption(interaction, 'period', z.enum(periods).default('week'));
    const [ranked, { optedOut }] = await Promise.all([
      readLeaderboard(app.ranking, guildId, period, app.clock.now()),
      app.rules.read(guildId),
    ]);
    const posters = ranked.filter(({ member }) => !optedOut.has(member));
    const line = (place: number): string => {
      const { member, articles, net } = posters[place]!;
      const values = { place: place + 1, member: `<@${member}>`, articles, net };
      return translate(locale, 'leaderboard.line', values);
    };
    const own = posters.findIndex(({ member }) => member === user.id);
    const lines = posters.slice(0, shown).map((_, place) => line(place));
    if (own >= shown) lines.push('…', line(own));
    const embed = {
      color: COLOUR,
      title: translate(locale, 'leaderboard.title', {
        period: translate(locale, `top.period.${period}`),
      }),
      description: lines.length > 0 ? lines.join('\n') : translate(locale, 'leaderboard.empty'),
      footer: { text: translate(locale, 'leaderboard.footer') },
    };
    await answer(interaction, { embeds: [embed] });
  },
} satisfies Command;
