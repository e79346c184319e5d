import type { GuildComponent, GuildForm } from '../discord/commands/command.ts';
import { answer, openForm, updateMessage } from '../discord/interactions/answer.ts';
import { button, card, row, textInput } from '../discord/interactions/components.ts';
import { UserError } from '../discord/user-error.ts';
import { ABOUT_LENGTH, readWebSettings, zInvite, writeWebSettings } from '../web/web-settings.ts';
import { translate } from '../text/catalogue.ts';
import { cleanLine, code, escapeMarkdown } from '../text/clean.ts';
import { limits } from '../discord/limits.ts';
import type { Section } from './section.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';

export const web: Section = {
  async open(interaction, needs) {
    await answer(interaction, await pageView(interaction, needs));
  },

  /** Custom ids are `frontpage|web|<action>`. */
  async component(interaction, [action], needs) {
    const { store } = needs;
    const { guildId, locale } = interaction;
    switch (action) {
      case 'invite': {
        const { invite } = await readWebSettings(store, guildId);
        return openForm(interaction, inviteForm(locale, invite));
      }
      case 'about': {
        const { about } = await readWebSettings(store, guildId);
        return openForm(interaction, aboutForm(locale, about));
      }
      case 'named':
      case 'nameless':
        await writeWebSettings(store, guildId, { names: action === 'named' });
        break;
      case 'show':
      case 'close':
        await writeWebSettings(store, guildId, { open: action === 'show' });
        break;
      case 'feeds':
      case 'no-feeds':
        await writeWebSettings(store, guildId, { feeds: action === 'feeds' });
        break;
      default:
        throw new UserError('stale');
    }
    await showChange(interaction, needs);
  },

  /** Custom ids are `frontpage|web|<what was typed>`; of older forms, an invite. */
  async form(interaction, [what = 'invite'], needs) {
    const { guildId, fields } = interaction;
    switch (what) {
      case 'about': {
        const about = cleanLine(fields.getTextInputValue('about').trim(), ABOUT_LENGTH);
        await writeWebSettings(needs.store, guildId, { about: about || null });
        break;
      }
      case 'invite': {
        const typed = fields.getTextInputValue('invite').trim();
        const invite = zInvite.safeParse(typed.replace(/^(?!https:\/\/)/, 'https://'));
        if (typed !== '' && !invite.success) {
          throw new UserError('web.invite.invalid', { input: code(typed) });
        }
        await writeWebSettings(needs.store, guildId, { invite: invite.data ?? null });
        break;
      }
      default:
        throw new UserError('stale');
    }
    await showChange(interaction, needs);
  },
};

/** Pages are cached until a change of their guild is announced, so this announces one. */
async function showChange(
  interaction: GuildComponent | GuildForm,
  needs: { ranking: Ranking; store: Store; webAddress: string | null },
): Promise<void> {
  needs.ranking.changes.note(interaction.guildId);
  await needs.ranking.changes.flush();
  await updateMessage(interaction, await pageView(interaction, needs));
}

type Action = 'show' | 'close' | 'invite' | 'about' | 'named' | 'nameless' | 'feeds' | 'no-feeds';

async function pageView(
  { guildId, locale }: GuildComponent | GuildForm,
  needs: { store: Store; webAddress: string | null },
) {
  const address = `${addressOf(needs)}/g/${guildId}`;
  const { open, feeds, invite, about, names } = await readWebSettings(needs.store, guildId);
  const lines = [
    open ? translate(locale, 'web.panel.open', { address }) : translate(locale, 'web.panel.closed'),
    translate(locale, 'web.panel.invite', { value: invite ?? translate(locale, 'settings.none') }),
    translate(locale, 'web.panel.about', {
      value: about === null ? translate(locale, 'web.panel.about.none') : escapeMarkdown(about),
    }),
    translate(locale, 'web.panel.names', {
      value: translate(locale, names ? 'settings.on' : 'settings.off'),
    }),
    ...(open
      ? [
          translate(locale, 'web.panel.feeds', {
            value: feeds
              ? `${addressOf(needs)}/feeds/${guildId}`
              : translate(locale, 'settings.off'),
          }),
        ]
      : []),
  ];
  const act = (action: Action, style?: 'main' | 'danger') =>
    button(`frontpage|web|${action}`, translate(locale, `web.button.${action}`), style);
  const components = [
    row(
      open ? act('close') : act('show', 'main'),
      act('invite'),
      act('about'),
      act(names ? 'nameless' : 'named'),
    ),
    ...(open ? [row(act(feeds ? 'no-feeds' : 'feeds'))] : []),
  ];
  return { embeds: [card(translate(locale, 'web.panel.title'), lines)], components };
}

function inviteForm(locale: string, invite: string | null) {
  return {
    custom_id: 'frontpage|web',
    title: cleanLine(translate(locale, 'web.button.invite'), limits.modalTitleLength),
    components: [
      textInput(translate(locale, 'web.invite.form'), {
        custom_id: 'invite',
        value: invite ?? '',
        max_length: 100,
        required: false,
      }),
    ],
  };
}

function aboutForm(locale: string, about: string | null) {
  return {
    custom_id: 'frontpage|web|about',
    title: cleanLine(translate(locale, 'web.button.about'), limits.modalTitleLength),
    components: [
      textInput(translate(locale, 'web.about.form'), {
        custom_id: 'about',
        value: about ?? '',
        max_length: ABOUT_LENGTH,
        required: false,
      }),
    ],
  };
}

function addressOf({ webAddress }: { webAddress: string | null }): string {
  if (webAddress === null) throw new UserError('web.unhosted');
  return webAddress;
}
