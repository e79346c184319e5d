import {
  InteractionResponseType as Answer,
  InteractionType,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import { zChoice } from '../../forms/command-form.ts';
import { zModal } from '../../forms/component-form.ts';
import { settle } from '../../world/interactions/open-interaction.ts';
import { createMessage } from '../../world/messages/change-message.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import type { Interaction } from '../../model/interaction.ts';
import type { Json, Message } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { userPayload } from '../../world/user-payload.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';
import { applyEdit, contents, type Draft, readDraft, refuseEmpty } from '../send.ts';

const zCallback = z.object({ type: z.enum(Answer), data: z.looseObject({}).nullish() });
export const zChoices = z.object({
  choices: z.array(zChoice.pick({ name: true, value: true })).max(25),
});

/** Which answers each kind of interaction takes. */
const COMMON = [Answer.ChannelMessageWithSource, Answer.DeferredChannelMessageWithSource];
const UPDATES = [Answer.UpdateMessage, Answer.DeferredMessageUpdate];
const ALLOWED: Record<number, Answer[]> = {
  [InteractionType.ApplicationCommand]: [...COMMON, Answer.Modal],
  [InteractionType.MessageComponent]: [...COMMON, ...UPDATES, Answer.Modal],
  [InteractionType.ModalSubmit]: [...COMMON, ...UPDATES],
  [InteractionType.ApplicationCommandAutocomplete]: [Answer.ApplicationCommandAutocompleteResult],
};

/** The first answer to an interaction. These calls need no bot token: the path holds the interaction's. */
export function interactionRoutes(world: World): Hono {
  const routes = new Hono();
  routes.post('/interactions/:interaction/:token/callback', async (context) => {
    const interaction = world.interactions.get(context.req.param('interaction'));
    if (interaction === undefined || interaction.token !== context.req.param('token')) {
      throw refuse('unknownInteraction');
    }
    const { body, files } = await readBody(context);
    const callback = parseForm(zCallback, body);
    if (interaction.state === 'failed') throw refuse('unknownInteraction');
    if (interaction.state === 'answered') throw refuse('alreadyAcknowledged');
    if (!(ALLOWED[interaction.type] ?? []).includes(callback.type)) {
      const message = 'This response type cannot answer this interaction.';
      throw formError([{ path: ['type'], code: 'INTERACTION_TYPE_INVALID', message }]);
    }
    const data = callback.data ?? {};
    const channel = world.channels.get(interaction.channelId);
    const updates = callback.type === Answer.UpdateMessage;
    const edited = updates ? channel?.messages.get(interaction.sourceId ?? '') : undefined;
    const draft = needsDraft(callback.type) ? readDraft(data, files, edited) : undefined;
    const message = answer(world, interaction, callback.type, data, draft);
    if (context.req.query('with_response') !== 'true') return context.body(null, 204);
    return context.json(callbackResponse(world, interaction, callback.type, message));
  });
  return routes;
}

function needsDraft(type: Answer): boolean {
  return [...COMMON, Answer.UpdateMessage].includes(type);
}

function answer(
  world: World,
  interaction: Interaction,
  type: Answer,
  data: Json,
  draft: Draft | undefined,
): Message | undefined {
  const channel = world.channels.get(interaction.channelId);
  if (channel === undefined) throw refuse('unknownInteraction');
  const source =
    interaction.sourceId === null ? undefined : channel.messages.get(interaction.sourceId);
  let message: Message | undefined;
  const change: Partial<Interaction> = { state: 'answered', answer: type };
  if (type === Answer.ApplicationCommandAutocompleteResult) {
    change.choices = parseForm(zChoices, data).choices;
  } else if (type === Answer.Modal) {
    change.modal = parseForm(zModal, data);
  } else if (type === Answer.DeferredMessageUpdate) {
    message = source;
  } else if (type === Answer.UpdateMessage) {
    if (source === undefined || draft === undefined) throw refuse('unknownMessage');
    applyEdit(world, channel, source, draft);
    message = source;
  } else if (draft !== undefined) {
    const deferred = type === Answer.DeferredChannelMessageWithSource;
    if (!deferred) refuseEmpty(draft);
    message = respond(world, interaction, draft, deferred ? MessageFlags.Loading : 0);
  }
  if (message !== undefined) {
    change.originalId = message.id;
    interaction.messageIds.add(message.id);
  }
  settle(world, interaction, change);
  return message;
}

/** A new message as an answer; ephemeral ones only the member sees. */
export function respond(
  world: World,
  interaction: Interaction,
  draft: Draft,
  extraFlags: number,
): Message {
  const channel = world.channels.get(interaction.channelId);
  if (channel === undefined) throw refuse('unknownChannel');
  const wanted = draft.form.flags ?? 0;
  const ephemeral = (wanted & MessageFlags.Ephemeral) !== 0;
  // What is only deferred becomes a layout by its edit (api-docs issue 7910).
  const isDeferred = (extraFlags & MessageFlags.Loading) !== 0;
  const settable =
    MessageFlags.Ephemeral |
    MessageFlags.SuppressEmbeds |
    MessageFlags.SuppressNotifications |
    (isDeferred ? 0 : MessageFlags.IsComponentsV2);
  const first = interaction.originalId === null;
  const message = createMessage(world, channel, {
    ...contents(world, draft),
    authorId: world.application.botId,
    type: first ? typeOfAnswer(interaction) : MessageType.Default,
    flags: (wanted & settable) | extraFlags,
    onlyFor: ephemeral ? interaction.userId : null,
    interaction: metadataOf(world, interaction),
    command: interaction.name,
    ...(interaction.sourceId === null ? {} : { replyTo: interaction.sourceId }),
  });
  interaction.messageIds.add(message.id);
  return message;
}

function typeOfAnswer({ name, target }: Interaction): MessageType {
  if (target !== null) return MessageType.ContextMenuCommand;
  return name === null ? MessageType.Default : MessageType.ChatInputCommand;
}

/** Who used what, as a message tells it that answers an interaction. */
function metadataOf(world: World, interaction: Interaction): Json {
  const { id, type, userId, guildId, sourceId, formOf, target } = interaction;
  return {
    id,
    type,
    user: userPayload(world, userId),
    authorizing_integration_owners: { '0': guildId ?? '0' },
    ...(target?.kind === 'user' ? { target_user: userPayload(world, target.id) } : {}),
    ...(target?.kind === 'message' ? { target_message_id: target.id } : {}),
    ...(formOf === null
      ? sourceId === null
        ? {}
        : { interacted_message_id: sourceId }
      : { triggering_interaction_metadata: metadataOf(world, formOf) }),
  };
}

function callbackResponse(
  world: World,
  interaction: Interaction,
  type: Answer,
  message: Message | undefined,
): Json {
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(message === undefined
        ? {}
        : {
            response_message_id: message.id,
            response_message_loading: (message.flags & MessageFlags.Loading) !== 0,
            response_message_ephemeral: (message.flags & MessageFlags.Ephemeral) !== 0,
          }),
    },
    // A completion and a form make nothing.
    ...(message === undefined
      ? {}
      : { resource: { type, message: messagePayload(world, message) } }),
  };
}
