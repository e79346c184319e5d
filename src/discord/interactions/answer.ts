import { retry } from '../../runtime/retry.ts';
import {
  type APIModalInteractionResponseCallbackData,
  type InteractionReplyOptions,
  type InteractionUpdateOptions,
  type Message,
  MessageFlags,
} from 'discord.js';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { isApiError, isRefusal } from '../api-errors.ts';
import type { Answerable, GuildComponent } from '../commands/command.ts';
import { limits } from '../limits.ts';
import { UserError } from '../user-error.ts';
import type { ActionRow } from './components.ts';

/** Of Discord's 3 s for an interaction we promise 2 s, and 300 ms of them are for the way to Discord. */
const RESERVE_MS = 1300;
/** Several connections may have been closed after a time without requests. */
const TRIES_AT_MOST = 4;

/**
 * The state of an interaction. discord.js knows only the state that Discord has confirmed already.
 * `done`: the request that leads to the state. `unsure`: the connection failed, so an answer may have
 * arrived.
 */
type AnswerState = {
  status: 'open' | 'deferred' | 'answered' | 'unsure';
  done?: Promise<unknown>;
};

type Payload = Pick<InteractionReplyOptions, 'content' | 'embeds' | 'components' | 'files'>;

/** The fields of an interaction that hold its state, and that Discord had an answer before this process's. */
const answerState = Symbol('answer state');
const answeredBefore = Symbol('answered before');

declare module 'discord.js' {
  interface BaseInteraction {
    [answerState]?: AnswerState;
    [answeredBefore]?: true;
  }
}

/**
 * Starts the time budget of an interaction, which Discord waits `answerWithinMs` for. When it is used up, the
 * interaction is deferred privately, or as an update if a component was used. The returned function ends the budget.
 */
export function openBudget(
  interaction: Answerable,
  { log, answerWithinMs }: { log: Log; answerWithinMs: number },
): () => void {
  const timer = setTimeout(() => {
    if (stateOf(interaction).status !== 'open') return;
    const done = confirm(interaction, () =>
      belongsToMessage(interaction)
        ? interaction.deferUpdate()
        : interaction.deferReply({ flags: MessageFlags.Ephemeral }),
    ).catch((error: unknown) => {
      interaction[answerState] = { status: 'unsure' };
      log.warn(fault(error), 'An interaction could not be deferred.');
    });
    interaction[answerState] = { status: 'deferred', done };
  }, answerWithinMs - RESERVE_MS);
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
  const payload = typeof text === 'string' ? { content: text } : text;
  const own = { ...payload, flags: MessageFlags.Ephemeral } as const;
  const { status } = await settledStateOf(interaction);
  if (status === 'open' || status === 'unsure') {
    const sent = await reply(interaction, () => interaction.reply(own));
    // Null after an uncertain answer: that one had arrived after all.
    if (sent !== null || status === 'open') return;
  } else if (status === 'deferred' && !belongsToMessage(interaction)) {
    await reply(interaction, () => interaction.editReply(payload));
    return;
  }
  await interaction.followUp(own);
}

/** Replaces the message that the component, or the form that a component opened, belongs to. */
export async function updateMessage(
  interaction: Exclude<Answerable, { commandName: string }>,
  payload: Payload,
): Promise<void> {
  const { status } = await settledStateOf(interaction);
  if (!belongsToMessage(interaction)) return answer(interaction, payload);
  const isFirst = status === 'open' || status === 'unsure';
  await reply(interaction, async () => {
    if (isFirst) await interaction.update(payload as InteractionUpdateOptions);
    else await interaction.editReply(payload);
  });
}

/** Another process with the same token has answered, as one that is stopping does. Nothing is left to say. */
export class AnsweredElsewhere extends Error {
  override readonly name = 'AnsweredElsewhere';
}

/**
 * Answers publicly in the channel and returns the message. Throws `AnsweredElsewhere` if another process was
 * first, and said something else.
 * A private defer cannot become public. In that case `meanwhile` is the private answer until the
 * message is sent as a follow-up.
 */
export async function answerPublicly(
  interaction: Exclude<Answerable, GuildComponent>,
  payload: Payload,
  meanwhile: string,
): Promise<Message> {
  if (stateOf(interaction).status === 'open') {
    const own = { ...payload, withResponse: true } as const;
    const sent = await reply(interaction, () => interaction.reply(own));
    const message = sent?.resource?.message ?? (await interaction.fetchReply());
    if (message.flags.has(MessageFlags.Ephemeral)) throw new AnsweredElsewhere();
    return message;
  }
  await answer(interaction, meanwhile);
  const message = await interaction.followUp(payload);
  // Nothing depends on this private line, so its deletion is not awaited and its failure is ignored.
  interaction.deleteReply().catch(() => {});
  return message;
}

/** Opens a form. Call it early: a deferred interaction cannot open a form. */
export async function openForm(
  interaction: Extract<Answerable, { showModal: unknown }>,
  form: APIModalInteractionResponseCallbackData,
): Promise<void> {
  if (stateOf(interaction).status !== 'open') throw new UserError('late');
  await reply(interaction, () => interaction.showModal(form));
}

/** Whether Discord had an answer before the one of this process, its own or another's. */
export function wasAnsweredBefore(interaction: Answerable): boolean {
  return interaction[answeredBefore] === true;
}

function stateOf(interaction: Answerable): AnswerState {
  return interaction[answerState] ?? { status: 'open' };
}

/** The state after an answer or a defer that is under way. */
async function settledStateOf(interaction: Answerable): Promise<AnswerState> {
  await stateOf(interaction).done;
  return stateOf(interaction);
}

/** Null if an answer had arrived before, of which Discord's confirmation was lost. */
async function reply<T>(interaction: Answerable, send: () => Promise<T>): Promise<T | null> {
  const before = stateOf(interaction);
  const sent = confirm(interaction, send);
  // Mark it before awaiting: the budget must not defer an interaction that is being answered.
  interaction[answerState] = { status: 'answered', done: sent.catch(() => {}) };
  try {
    return await sent;
  } catch (error) {
    const isOpen = before.status === 'open' || before.status === 'unsure';
    // Discord took it, and discord.js cannot read the confirmation: it would take no second first answer.
    const failed = { status: interaction.replied ? 'answered' : 'unsure' } as const;
    interaction[answerState] = isOpen && !isRefusal(error) ? failed : before;
    throw error;
  }
}

/**
 * Sends an answer, and sends it again if the connection failed. discord.js repeats other failed requests
 * by itself. Null if Discord had an answer already, of this or of another process.
 */
async function confirm<T>(interaction: Answerable, send: () => Promise<T>): Promise<T | null> {
  try {
    return await retry(send, {
      // A member waits: the request took long enough.
      firstMs: 0,
      longestMs: 0,
      isRetried: (error, failures) => failures < TRIES_AT_MOST && isConnectionFault(error),
      wait: async () => {},
    });
  } catch (error) {
    if (!isApiError(error, 'InteractionHasAlreadyBeenAcknowledged')) throw error;
    interaction.replied = true;
    interaction[answeredBefore] = true;
    return null;
  }
}

function isConnectionFault(error: unknown): boolean {
  if (error instanceof DOMException && error.name === 'TimeoutError') return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(UND_ERR_\w+|ECONN\w+|EPIPE|ETIMEDOUT)$/.test(code);
}

/** The content of an answer. Without `components`, the present components stay. */
export type Shown = { content: string; components?: ActionRow[] };

/** A minute is left so that the last edit arrives. */
const EDITABLE_MS = limits.interactionMs - MINUTE_MS;
const EDIT_EVERY_MS = 5000;

/** Edits the answer during long work, at most every 5 s and as long as Discord allows it. */
export function showProgress(interaction: Answerable) {
  const startedMs = performance.now();
  let editedMs = startedMs;
  // discord.js makes the edits of one answer in their order.
  const edit = async (shown: Shown): Promise<boolean> => {
    if (performance.now() - startedMs > EDITABLE_MS) return false;
    return interaction.editReply(shown).then(
      () => true,
      () => false,
    );
  };
  return {
    /** Shows a state. Skipped if it comes less than 5 s after the last one. */
    show(shown: () => Shown): void {
      if (performance.now() - editedMs < EDIT_EVERY_MS) return;
      editedMs = performance.now();
      void edit(shown());
    },
    /** Shows the last state. False if it was too late to show it. */
    end: edit,
  };
}
