import { InteractionResponseType as Type, MessageFlags } from 'discord-api-types/v10';
import type { APIMessage } from 'discord-api-types/v10';
import { messagePayload } from '../world/messages/message-payload.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Json } from '../model/message.ts';
import type { World } from '../model/world.ts';

/** What a member gets for a command, a button, a select or a modal. */
export type Answer = {
  interactionId: string;
  /**
   * `message`: a new message; `update`: the message that was used changed; `deferred`: taken note of,
   * nothing shown; `modal`: a form opened; `deleted`: the answer was taken back;
   * `failed`: "The application did not respond".
   */
  kind: 'message' | 'update' | 'deferred' | 'modal' | 'deleted' | 'failed';
  message?: APIMessage;
  /** Only the member sees it. */
  ephemeral: boolean;
  modal?: Json;
};

/** Waits until the member sees the answer; "is thinking…" is not one yet. */
export function answerTo(world: World, interaction: Interaction): Promise<Answer> {
  return world.changes.until(
    () => answerNow(world, interaction),
    `an answer to the interaction ${interaction.name ?? interaction.id}`,
  );
}

function answerNow(world: World, interaction: Interaction): Answer | undefined {
  const common = { interactionId: interaction.id, ephemeral: false };
  if (interaction.state === 'failed') return { ...common, kind: 'failed' };
  if (interaction.state === 'waiting') return undefined;
  if (interaction.modal !== null) return { ...common, kind: 'modal', modal: interaction.modal };
  if (interaction.answer === Type.DeferredMessageUpdate) {
    return { ...common, kind: 'deferred' };
  }
  const channel = world.channels.get(interaction.channelId);
  const message = channel?.messages.get(interaction.originalId ?? '');
  if (message === undefined) return { ...common, kind: 'deleted' };
  if ((message.flags & MessageFlags.Loading) !== 0) return undefined;
  return {
    ...common,
    kind: interaction.answer === Type.UpdateMessage ? 'update' : 'message',
    ephemeral: message.onlyFor !== null,
    message: messagePayload(world, message, {
      viewerId: interaction.userId,
    }) as unknown as APIMessage,
  };
}

/** Waits for the choices of a completion; an interaction that fails shows none. */
export function choicesOf(
  world: World,
  interaction: Interaction,
): Promise<{ name: string; value: string | number }[]> {
  return world.changes.until(
    () =>
      interaction.state === 'failed'
        ? []
        : interaction.state === 'waiting'
          ? undefined
          : (interaction.choices ?? []),
    'the choices of a completion',
  );
}
