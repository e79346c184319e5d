import { z } from 'zod';
import type { App } from '../../src/app.ts';
import { GROUP_SELECT_TYPES, isListed } from '../../src/discord/access/visibility.ts';
import { parseArgs } from '../../src/discord/commands/checked-options.ts';
import type { GuildComponent, GuildForm } from '../../src/discord/commands/command.ts';
import { answer, openForm, updateMessage } from '../../src/discord/interactions/answer.ts';
import {
  button,
  card,
  channelSelect,
  choiceSelect,
  type ActionRow,
  row,
} from '../../src/discord/interactions/components.ts';
import { textInput } from '../../src/discord/interactions/text-input.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { type Snowflake, zSnowflake } from '../../src/ranking/snowflake.ts';
import {
  feedSecret,
  readWebSettings,
  writeWebSettings,
  zInvite,
} from '../../src/records/web-settings.ts';
import { translate } from '../../src/text/catalogue.ts';
import { cleanLine, code } from '../../src/text/clean.ts';
import { ordersOf, WEB_ORDERS } from '../../src/web/pages/view.ts';
import { limits } from '../../src/discord/limits.ts';
import type { Section } from './section.ts';

/** A feed's order and group, as its selects carry them. An empty group means all channels. */
const zFeed = z.tuple([z.enum(WEB_ORDERS), z.union([zSnowflake, z.literal('')])]);

export const web: Section = {
  async open(interaction, app) {
    await answer(interaction, await pageView(interaction, app));
  },

  /** Custom ids are `frontpage|web|<action>`. Those of the selects go on with `<order>|<group>`. */
  async component(interaction, [action, ...args], app) {
    const { store } = app;
    const { guildId, locale } = interaction;
    const [chosen] = interaction.isAnySelectMenu() ? interaction.values : [];
    const feed = zFeed.safeParse(args).data ?? ['score', ''];
    switch (action) {
      case 'back':
        return updateMessage(interaction, await pageView(interaction, app));
      case 'feed':
        return updateMessage(interaction, await feedView(interaction, app, feed));
      case 'order':
        return updateMessage(interaction, await feedView(interaction, app, [chosen, feed[1]]));
      case 'group':
        return updateMessage(
          interaction,
          await feedView(interaction, app, [feed[0], chosen ?? '']),
        );
      case 'invite': {
        const { invite } = await readWebSettings(store, guildId);
        return openForm(interaction, inviteForm(locale, invite));
      }
      case 'show':
      case 'close':
        await writeWebSettings(store, guildId, { open: action === 'show' });
        break;
      case 'name':
      case 'unname':
        await writeWebSettings(store, guildId, { names: action === 'name' });
        break;
      case 'revoke':
        return updateMessage(interaction, revokeView(locale));
      case 'really':
        await writeWebSettings(store, guildId, { secret: null });
        break;
      default:
        throw new UserError('stale');
    }
    await showAtOnce(app, guildId);
    const said = action === 'really' ? translate(locale, 'web.revoked') : null;
    await updateMessage(interaction, await pageView(interaction, app, said));
  },

  async form(interaction, _, app) {
    const typed = interaction.fields.getTextInputValue('invite').trim();
    const invite = zInvite.safeParse(typed.replace(/^(?!https:\/\/)/, 'https://'));
    if (typed !== '' && !invite.success) {
      throw new UserError('web.invite.invalid', { given: code(typed) });
    }
    await writeWebSettings(app.store, interaction.guildId, { invite: invite.data ?? null });
    await showAtOnce(app, interaction.guildId);
    await updateMessage(interaction, await pageView(interaction, app));
  },
};

async function pageView(
  { guildId, locale }: GuildComponent | GuildForm,
  app: Pick<App, 'store' | 'addresses'>,
  said: string | null = null,
) {
  const address = addressesOf(app).page(guildId);
  const { open, names, invite } = await readWebSettings(app.store, guildId);
  const lines = [
    open ? translate(locale, 'web.panel.open', { address }) : translate(locale, 'web.panel.closed'),
    translate(locale, 'web.panel.names', {
      value: translate(locale, names ? 'settings.on' : 'settings.off'),
    }),
    translate(locale, 'web.panel.invite', { value: invite ?? translate(locale, 'settings.none') }),
    ...(said === null ? [] : ['', said]),
  ];
  const actions = [open ? 'close' : 'show', names ? 'unname' : 'name', 'invite', 'feed'] as const;
  return {
    embeds: [card(translate(locale, 'web.panel.title'), lines)],
    components: [buttons(locale, actions)],
  };
}

async function feedView(
  interaction: GuildComponent,
  app: Pick<App, 'ranking' | 'store' | 'addresses'>,
  wanted: unknown[],
) {
  const { guild, guildId, locale } = interaction;
  const addresses = addressesOf(app);
  const [asked, chosen] = parseArgs(zFeed, wanted);
  if (chosen !== '' && !isListed(guild.channels.cache.get(chosen)))
    throw new UserError('web.feed.hidden');
  const group = chosen === '' ? null : chosen;
  // The front order balances groups. Within one group it is the order of scores.
  const order = group !== null && asked === 'front' ? 'score' : asked;
  const secret = await feedSecret(app.store, guildId);
  await showAtOnce(app, guildId);
  const state = `${order}|${chosen}`;
  const found = addresses.feeds(guildId, { group, order }, secret);
  const orders = ordersOf(group).map((value) => ({
    label: translate(locale, `top.order.${value}`),
    value,
  }));
  const groupSelect = {
    custom_id: `frontpage|web|group|${state}`,
    placeholder: translate(locale, 'top.pick.group'),
  };
  return {
    embeds: [
      card(translate(locale, 'web.button.feed'), translate(locale, 'web.feed.addresses', found)),
    ],
    components: [
      choiceSelect({ custom_id: `frontpage|web|order|${state}` }, orders, order),
      channelSelect(groupSelect, GROUP_SELECT_TYPES, group === null ? [] : [group], {
        isOne: true,
      }),
      buttons(locale, ['back', 'revoke']),
    ],
  };
}

function revokeView(locale: string) {
  return {
    embeds: [card(translate(locale, 'web.button.revoke'), translate(locale, 'web.revoke.sure'))],
    components: [buttons(locale, ['back', 'really'])],
  };
}

const styles = { show: 'main', revoke: 'danger', really: 'danger' } as const;
type Button = keyof typeof styles | 'close' | 'name' | 'unname' | 'invite' | 'feed' | 'back';

function buttons(locale: string, actions: readonly Button[]): ActionRow {
  const look: Partial<Record<Button, 'main' | 'danger'>> = styles;
  return row(
    ...actions.map((action) =>
      button(`frontpage|web|${action}`, translate(locale, `web.button.${action}`), look[action]),
    ),
  );
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

function addressesOf({ addresses }: Pick<App, 'addresses'>) {
  if (addresses === null) throw new UserError('web.unhosted');
  return addresses;
}

/** Pages are cached until a change of their guild is announced, so announce one. */
async function showAtOnce({ ranking }: Pick<App, 'ranking'>, guild: Snowflake): Promise<void> {
  ranking.changes.note(guild);
  await ranking.changes.flush();
}
