import { randomBytes } from 'node:crypto';
import { ApplicationCommandType, type InteractionType } from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { Interaction } from '../../model/interaction.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { interactionPayload } from './interaction-payload.ts';

/** How long an interaction's token is good, by the world's clock. */
const TOKEN_LIFE_MS = 15 * 60_000;

type NewInteraction = {
  type: InteractionType;
  userId: Snowflake;
  channel: Channel;
  data: Json;
  name?: string;
  sourceId?: Snowflake;
  formOf?: Interaction;
};

/** A member did something that the bot must answer. Nobody answering in time fails it. */
export function openInteraction(world: World, given: NewInteraction): Interaction {
  const interaction: Interaction = {
    id: world.snowflake(),
    token: randomBytes(48).toString('base64url'),
    type: given.type,
    userId: given.userId,
    guildId: given.channel.guildId,
    channelId: given.channel.id,
    createdAtMs: world.clock.now(),
    name: given.name ?? null,
    target: targetOf(given.data),
    customId: typeof given.data['custom_id'] === 'string' ? given.data['custom_id'] : null,
    sourceId: given.sourceId ?? null,
    formOf: given.formOf ?? null,
    state: 'waiting',
    answer: null,
    originalId: null,
    messageIds: new Set(),
    choices: null,
    modal: null,
    deadline: null,
  };
  world.interactions.set(interaction.id, interaction);
  forgetOldInteractions(world);
  interaction.deadline = setTimeout(() => {
    if (interaction.state === 'waiting') settle(world, interaction, { state: 'failed' });
  }, world.answerWithinMs);
  world.changes.emit({
    t: 'INTERACTION_CREATE',
    d: interactionPayload(world, interaction, given.channel, given.data),
    ...(interaction.guildId === null ? {} : { guildId: interaction.guildId }),
    intents: 0,
  });
  return interaction;
}

function targetOf({ target_id: id, type }: Json): Interaction['target'] {
  if (typeof id !== 'string') return null;
  return { kind: type === ApplicationCommandType.Message ? 'message' : 'user', id };
}

/** The interaction was answered or failed; whoever waits for it is told. */
export function settle(world: World, interaction: Interaction, change: Partial<Interaction>): void {
  Object.assign(interaction, change);
  if (interaction.deadline !== null) clearTimeout(interaction.deadline);
  interaction.deadline = null;
  const { id, state, answer, originalId, userId, channelId } = interaction;
  world.changes.emit({
    t: 'BOX_INTERACTION',
    d: { id, state, answer, message_id: originalId, user_id: userId, channel_id: channelId },
    intents: 0,
    pageOnly: true,
    onlyFor: interaction.userId,
  });
}

export function findByToken(world: World, token: string): Interaction | undefined {
  for (const interaction of world.interactions.values()) {
    if (interaction.token === token) return interaction;
  }
  return undefined;
}

export function tokenExpired(world: World, interaction: Interaction): boolean {
  return world.clock.now() - interaction.createdAtMs > TOKEN_LIFE_MS;
}

function forgetOldInteractions(world: World): void {
  for (const [id, interaction] of world.interactions) {
    if (world.interactions.size <= 1000 || interaction.state === 'waiting') return;
    world.interactions.delete(id);
  }
}
