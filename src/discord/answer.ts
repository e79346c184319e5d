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
 * Discord gives up on an interaction that is unanswered after 3 s. We promise 2 s. The remaining 300 ms
 * are for the way to Discord.
 */
const budgetMs = 1700;

/** The state of an interaction. discord.js knows only the state that Discord has confirmed already. */
type AnswerState =
  | { is: 'open' }
  /** The defer is under way or done; `how` decides what an answer does to it. */
  | { is: 'deferred'; how: 'reply' | 'update'; done: Promise<unknown> }
  | { is: 'answered'; done: Promise<unknown> };

type Payload = Pick<InteractionReplyOptions, 'content' | 'embeds' | 'components' | 'files'>;

/** The field of an interaction that holds its state. */
const answerState = Symbol('answer state');
type WithAnswerState = { [answerState]?: AnswerState };
const noPings = { parse: [] };

/**
 * Starts the time budget of an interaction. When it is used up, the interaction is deferred privately,
 * or as an update if a component was used. The returned function ends the budget.
 */
export function openBudget(interaction: Answerable, log: Log): () => void {
  const timer = setTimeout(() => {
    if (interaction.replied || interaction.deferred || answerStateOf(interaction).is !== 'open')
      return;
    const onMessage = belongsToMessage(interaction);
    const done = (
      onMessage
        ? interaction.deferUpdate()
        : interaction.deferReply({ flags: MessageFlags.Ephemeral })
    ).catch((error: unknown) => log.warn(fault(error), 'An interaction could not be deferred.'));
    (interaction as WithAnswerState)[answerState] = {
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

/** Answers privately. A second answer becomes a separate message. */
export async function answer(interaction: Answerable, text: string | Payload): Promise<void> {
  const payload = {
    ...(typeof text === 'string' ? { content: text } : text),
    allowedMentions: noPings,
  };
  const before = answerStateOf(interaction);
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
  const before = answerStateOf(interaction);
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
 * Answers publicly in the channel and returns the message.
 * A private defer cannot become public. In that case `meanwhile` is the private answer until the
 * message is sent as a follow-up.
 */
export async function answerPublicly(
  interaction: Exclude<Answerable, GuildComponent>,
  payload: Payload,
  meanwhile: string,
): Promise<Message> {
  const full = { ...payload, allowedMentions: noPings };
  if (answerStateOf(interaction).is === 'open') {
    const { resource } = await reply(interaction, () =>
      interaction.reply({ ...full, withResponse: true }),
    );
    return resource?.message ?? (await interaction.fetchReply());
  }
  await answer(interaction, meanwhile);
  const message = await interaction.followUp(full);
  // Nothing depends on this private line, so its deletion is not awaited and its failure is ignored.
  interaction.deleteReply().catch(() => {});
  return message;
}

/** Opens a form. Call it early: a deferred interaction cannot open a form. */
export async function openForm(
  interaction: Extract<Answerable, { showModal: unknown }>,
  form: APIModalInteractionResponseCallbackData,
): Promise<void> {
  if (answerStateOf(interaction).is !== 'open') throw new UserError('late');
  await reply(interaction, () => interaction.showModal(form));
}

function answerStateOf(interaction: object): AnswerState {
  return (interaction as WithAnswerState)[answerState] ?? { is: 'open' };
}

async function reply<T>(interaction: Answerable, send: () => Promise<T>): Promise<T> {
  const before = answerStateOf(interaction);
  const sent = send();
  // Mark it before awaiting: the budget must not defer an interaction that is being answered.
  (interaction as WithAnswerState)[answerState] = { is: 'answered', done: sent.catch(() => {}) };
  try {
    return await sent;
  } catch (error) {
    if (isRefusal(error)) (interaction as WithAnswerState)[answerState] = before;
    throw error;
  }
}

/** Whether Discord certainly refused the request, so that it had no effect. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof DiscordAPIError &&
    error.status >= 400 &&
    error.status < 500 &&
    // After a 5xx discord.js retries by itself. This error then means that the first try had worked.
    !isApiError(error, 'InteractionHasAlreadyBeenAcknowledged')
  );
}
