import { MessageFlags } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { findByToken, settle, tokenExpired } from '../../world/interactions/open-interaction.ts';
import { deleteEphemeral, deleteMessages } from '../../world/messages/change-message.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import type { Channel } from '../../model/channel.ts';
import type { Interaction } from '../../model/interaction.ts';
import type { Message } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { applyEdit, readDraft, refuseEmpty } from '../send.ts';
import { respond } from './interactions.ts';

const PATH = '/webhooks/:application/:token';

/** What comes after the first answer: editing and deleting it, and follow-ups, for 15 minutes. */
export function webhookRoutes(world: World): Hono {
  const routes = new Hono();

  const interactionOf = (context: Context): { interaction: Interaction; channel: Channel } => {
    const interaction = findByToken(world, context.req.param('token') ?? '');
    if (interaction === undefined || context.req.param('application') !== world.application.id) {
      throw refuse('unknownWebhook');
    }
    if (tokenExpired(world, interaction)) throw refuse('invalidWebhookToken');
    const channel = world.channels.get(interaction.channelId);
    if (interaction.state !== 'answered' || channel === undefined) throw refuse('unknownWebhook');
    return { interaction, channel };
  };
  const messageOf = (context: Context) => {
    const found = interactionOf(context);
    const { interaction, channel } = found;
    const named = context.req.param('message') ?? '';
    const id = named === '@original' ? interaction.originalId : named;
    const message = id === null ? undefined : channel.messages.get(id);
    if (message === undefined || !interaction.messageIds.has(message.id)) {
      throw refuse('unknownMessage');
    }
    return { ...found, message };
  };
  /** Finishing a deferred answer tells those who wait for it. */
  const fill = (
    interaction: Interaction,
    channel: Channel,
    message: Message,
    draft: ReturnType<typeof readDraft>,
  ) => {
    const loading = (message.flags & MessageFlags.Loading) !== 0;
    applyEdit(world, channel, message, draft, loading);
    settle(world, interaction, {});
  };

  routes.post(PATH, async (context) => {
    const { interaction, channel } = interactionOf(context);
    const { body, files } = await readBody(context);
    const draft = readDraft(body, files);
    refuseEmpty(draft);
    const original = channel.messages.get(interaction.originalId ?? '');
    // The first follow-up to a deferred answer becomes that answer.
    if (original !== undefined && (original.flags & MessageFlags.Loading) !== 0) {
      fill(interaction, channel, original, draft);
      return context.json(messagePayload(world, original));
    }
    const message = respond(world, interaction, draft, 0);
    settle(world, interaction, {});
    return context.json(messagePayload(world, message));
  });

  routes.get(`${PATH}/messages/:message`, (context) =>
    context.json(messagePayload(world, messageOf(context).message)),
  );

  routes.patch(`${PATH}/messages/:message`, async (context) => {
    const { interaction, channel, message } = messageOf(context);
    const { body, files } = await readBody(context);
    fill(interaction, channel, message, readDraft(body, files, message));
    return context.json(messagePayload(world, message));
  });

  routes.delete(`${PATH}/messages/:message`, (context) => {
    const { interaction, channel, message } = messageOf(context);
    if (message.onlyFor === null) deleteMessages(world, channel, [message.id]);
    else deleteEphemeral(world, channel, message);
    interaction.messageIds.delete(message.id);
    settle(world, interaction, {});
    return context.body(null, 204);
  });

  return routes;
}
