import {
  type APIModalInteractionResponseCallbackData,
  DiscordAPIError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  type InteractionUpdateOptions,
  type Message,
  MessageFlags,
} from 'discord.js';
import { fault, type Log } from '../log.ts';
import { isApiError } from './api-errors.ts';
import type { Answerable, GuildComponent } from './commands/command.ts';
import { UserError } from './user-error.ts';

/**
 * Discord gives up on an interaction that is unanswered after 3 s. We promise 2 s, and what is left
 * of them here is the way to Discord.
 */
const budgetMs = 1700;

/** Where an interaction stands. discord.js knows only what Discord has confirmed already. */
type Standing =
  | { is: 'open' }
  /** The defer is under way or done; `how` decides what an answer does to it. */
  | { is: 'deferred'; how: 'reply' | 'update'; done: Promise<unknown> }
  | { is: 'answered'; done: Promise<unknown> };

type Payload = Pick<InteractionReplyOptions, 'content' | 'embeds' | 'components' | 'files'>;

/** The field of an interaction that says where it stands. */
const standing = Symbol('standing');
type Standable = { [standing]?: Standing };
const noPings = { parse: [] };

/**
 * Starts the budget of an interaction: when it is used up, the interaction is deferred privately, or
 * as an update where a component was used. Ends it with the function that it returns.
 */
export function openBudget(interaction: Answerable, log: Log): () => void {
  const timer = setTimeout(() => {
    if (interaction.replied || interaction.deferred || standingOf(interaction).is !== 'open')
      return;
    const onMessage = belongsToMessage(interaction);
    const done = (
      onMessage
        ? interaction.deferUpdate()
        : interaction.deferReply({ flags: MessageFlags.Ephemeral })
    ).catch((error: unknown) => log.warn(fault(error), 'An interaction could not be deferred.'));
    (interaction as Standable)[standing] = {
      is: 'deferred',
      how: onMessage ? 'update' : 'reply',
      done,
    };
  }, budgetMs);
  return () => clearTimeout(timer);
}

type OnMessage = Extract<Answerable, { update: unknown }>;

/** A component, or a form that a component opened. */
function belongsToMessage(interaction: Answerable): interaction is OnMessage {
  if (interaction.isMessageComponent()) return true;
  return interaction.isModalSubmit() && interaction.isFromMessage();
}

/** Answers the member alone; a further answer becomes a message of its own. */
export async function answer(interaction: Answerable, text: string | Payload): Promise<void> {
  const payload = {
    ...(typeof text === 'string' ? { content: text } : text),
    allowedMentions: noPings,
  };
  const before = standingOf(interaction);
  if (before.is === 'open') {
    await reply(interaction, () =>
      interaction.reply({ ...payload, flags: MessageFlags.Ephemeral }),
    );
    return;
  }
  await before.done;
  if (before.is === 'deferred' && before.how === 'reply') {
    await reply(interaction, () => interaction.editReply(payload));
    return;
  }
  await interaction.followUp({ ...payload, flags: MessageFlags.Ephemeral });
}

/** Replaces the message that the component, or the form that a component opened, belongs to. */
export async function turn(
  interaction: Exclude<Answerable, { commandName: string }>,
  payload: Payload,
): Promise<void> {
  const before = standingOf(interaction);
  if (!belongsToMessage(interaction)) return answer(interaction, payload);
  const full = { ...payload, allowedMentions: noPings };
  if (before.is === 'open') {
    await reply(interaction, () => interaction.update(full as InteractionUpdateOptions));
    return;
  }
  await before.done;
  await reply(interaction, () => interaction.editReply(full as InteractionEditReplyOptions));
}

/**
 * Answers in the channel, for all to see, and returns the message.
 * A private defer cannot turn public: there `meanwhile` becomes the private answer until the message,
 * which follows it, is sent.
 */
export async function answerPublicly(
  interaction: Exclude<Answerable, GuildComponent>,
  payload: Payload,
  meanwhile: string,
): Promise<Message> {
  const full = { ...payload, allowedMentions: noPings };
  if (standingOf(interaction).is === 'open') {
    const { resource } = await reply(interaction, () =>
      interaction.reply({ ...full, withResponse: true }),
    );
    return resource?.message ?? (await interaction.fetchReply());
  }
  await answer(interaction, meanwhile);
  const message = await interaction.followUp(full);
  // Nothing depends on this private line, so nobody waits for it or hears of its failure.
  interaction.deleteReply().catch(() => {});
  return message;
}

/** Opens a form. Nothing may take long before it: what was deferred can open none. */
export async function openForm(
  interaction: Extract<Answerable, { showModal: unknown }>,
  form: APIModalInteractionResponseCallbackData,
): Promise<void> {
  if (standingOf(interaction).is !== 'open') throw new UserError('late');
  await reply(interaction, () => interaction.showModal(form));
}

function standingOf(interaction: object): Standing {
  return (interaction as Standable)[standing] ?? { is: 'open' };
}

async function reply<T>(interaction: Answerable, send: () => Promise<T>): Promise<T> {
  const before = standingOf(interaction);
  const sent = send();
  // Marked before it is awaited: the budget must not defer what is being answered.
  (interaction as Standable)[standing] = { is: 'answered', done: sent.catch(() => {}) };
  try {
    return await sent;
  } catch (error) {
    if (isRefusal(error)) (interaction as Standable)[standing] = before;
    throw error;
  }
}

/** Whether Discord refused for certain, so that nothing came of the request. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof DiscordAPIError &&
    error.status >= 400 &&
    error.status < 500 &&
    // After a 5xx discord.js tries again by itself, and then hears that the first try had worked.
    !isApiError(error, 'InteractionHasAlreadyBeenAcknowledged')
  );
}
