import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DiscordjsTypeError, Events, type Interaction, type Client } from 'discord.js';
import { fault, faultLine, type Log } from '../../runtime/log.ts';
import { type MetricEvents, emitMetric } from '../../runtime/metrics.ts';
import { translate } from '../../text/catalogue.ts';
import { answer, AnsweredElsewhere, openBudget, wasAnsweredBefore } from './answer.ts';
import { requireActive } from '../access/active-member.ts';
import { isApiError } from '../api-errors.ts';
import {
  type Answerable,
  type Choice,
  type Command,
  type Commands,
  fileNameOf,
  type GuildCommand,
  type GuildCompletion,
} from '../commands/command.ts';
import { isFaultOfRedis, isOutage } from '../../redis/errors.ts';
import { cleanLine } from '../../text/clean.ts';
import { UserError } from '../user-error.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { limits } from '../limits.ts';
import type { Twin } from '../twin.ts';
import type { Ranking } from '../../ranking/ranking.ts';

export interface RouterNeeds {
  /** Tells of commands, buttons and forms. */
  client: Client;
  /** A guild whose data a command found broken is marked in it for a check. */
  ranking: Ranking;
  /** Says what could not be done. */
  log: Log;
  /** How long Discord waits for the first answer to an interaction (ms): 3 s. */
  answerWithinMs: number;
  /** Whether a member may be offered choices once more. It counts each call. */
  mayComplete(guild: Snowflake, member: Snowflake): boolean;
  /** Throws a `UserError` where a member uses the bot too often, and counts each call. The guild is null in direct messages. */
  requireUse(guild: Snowflake | null, member: Snowflake): void;
  /** Is told of answers that were given before. */
  twin: Twin;
  /** Aborted when the bot is stopping: members are told so instead of an answer. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** Passes every interaction to its command and answers it even if the command fails. */
export function openRouter<Bot>(needs: RouterNeeds, bot: Bot, commands: Commands<Bot>): void {
  const { client, log, stopping } = needs;

  client.on(Events.InteractionCreate, (interaction) => {
    const work = route(interaction).catch((error: unknown) => {
      log.warn({ ...fault(error), interaction: interaction.id }, 'An answer did not arrive.');
    });
    needs.hold(work);
  });

  async function route(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) {
      const command = commands.get(interaction.commandName);
      const usable =
        !stopping.aborted &&
        interaction.inCachedGuild() &&
        command !== undefined &&
        needs.mayComplete(interaction.guildId, interaction.user.id);
      await interaction.respond(usable ? await completion(needs, bot, command, interaction) : []);
      return;
    }
    if (interaction.isRepliable()) await dispatch(interaction);
  }

  async function dispatch(interaction: Answerable): Promise<void> {
    const { locale } = interaction;
    if (stopping.aborted) return tell(interaction, translate(locale, 'stopping'));
    const isCommand = 'commandName' in interaction;
    const [name = '', ...args] = isCommand
      ? [fileNameOf(interaction.commandName)]
      : interaction.customId.split('|');
    const command = commands.get(name);
    if (!command) return tell(interaction, translate(locale, 'stale'));
    const close = openBudget(interaction, needs);
    try {
      const work = async () => {
        needs.requireUse(interaction.guildId, interaction.user.id);
        await run(bot, command, interaction, args);
      };
      await measured(isCommand ? 'command' : 'component', command, work);
    } catch (error) {
      // Discord takes no answer any more, so it would refuse the excuse as well.
      if (isApiError(error, 'UnknownInteraction') || error instanceof AnsweredElsewhere)
        throw error;
      await tell(interaction, excuse(needs, error, interaction, command));
    } finally {
      close();
      if (wasAnsweredBefore(interaction)) needs.twin.noteAnswered(interaction.id);
    }
  }
}

/** Throws a `UserError` if the command has no function for this interaction. */
async function run<Bot>(
  bot: Bot,
  command: Command<Bot>,
  interaction: Answerable,
  args: string[],
): Promise<void> {
  if (!interaction.inCachedGuild()) {
    const direct = interaction.guildId === null ? command.direct : undefined;
    if (interaction.isChatInputCommand() && direct) return direct.run(interaction, bot);
    if (interaction.isMessageComponent() && direct?.component) {
      return direct.component(interaction, args, bot);
    }
    throw new UserError('guild.only');
  }
  const { reads = false } = command;
  const isReading = typeof reads === 'function' ? reads(interaction) : reads;
  if (!isReading) requireActive(interaction.member, interaction.createdTimestamp);
  if (interaction.isChatInputCommand() && command.run && hasSubcommand(command, interaction)) {
    return command.run(interaction, bot);
  }
  if (interaction.isMessageContextMenuCommand() && command.runOnMessage) {
    return command.runOnMessage(interaction, bot);
  }
  if (interaction.isUserContextMenuCommand() && command.runOnMember) {
    return command.runOnMember(interaction, bot);
  }
  if (interaction.isModalSubmit() && command.form) return command.form(interaction, args, bot);
  if (interaction.isMessageComponent() && command.component) {
    return command.component(interaction, args, bot);
  }
  throw new UserError('stale');
}

function excuse(
  { log, ranking }: { log: Log; ranking: Ranking },
  error: unknown,
  interaction: Answerable,
  command: Pick<Command<never>, 'data'>,
): string {
  const { locale, guildId } = interaction;
  if (error instanceof UserError) return error.inLanguageOf(locale);
  if (isMisshapen(error)) return translate(locale, 'stale');
  const reference = randomBytes(4).toString('hex');
  const fields = { reference, guild: guildId, command: command.data.name };
  if (isOutage(error)) {
    log.warn({ ...faultLine(error), ...fields }, 'A command failed because Redis is away.');
    return translate(locale, 'outage');
  }
  if (guildId !== null && isFaultOfRedis(error)) ranking.onDamaged(guildId);
  log.error({ ...fault(error), ...fields }, 'A command failed.');
  return translate(locale, 'fault.neutral', { reference });
}

/** Returns no choices if the command fails or is late: a completion cannot show an error, and is soon useless. */
async function completion<Bot>(
  { log, answerWithinMs }: RouterNeeds,
  bot: Bot,
  command: Command<Bot>,
  interaction: GuildCompletion,
): Promise<Choice[]> {
  try {
    // Every completed option is a text; a forged one can have another type.
    const { value } = interaction.options.getFocused(true) as { value: unknown };
    if (typeof value !== 'string') return [];
    const found = measured('completion', command, async () => {
      return (await command.complete?.(interaction, bot)) ?? [];
    });
    return offered(await Promise.race([found, pause(answerWithinMs / 2, [], { ref: false })]));
  } catch (error) {
    if (!(error instanceof UserError) && !isMisshapen(error)) {
      log.warn({ ...fault(error), command: command.data.name }, 'A completion failed.');
    }
    return [];
  }
}

/** Whether the command has the chosen subcommand. A deployed command of another version may have more. */
function hasSubcommand({ data }: Pick<Command<never>, 'data'>, { options }: GuildCommand): boolean {
  const chosen = options.getSubcommand(false);
  if (chosen === null) return true;
  return 'options' in data && data.options?.some(({ name }) => name === chosen) === true;
}

/**
 * An option or a field is missing or has another type than in the deployed command. The interaction is
 * of another version or forged.
 */
function isMisshapen(error: unknown): boolean {
  return (
    error instanceof DiscordjsTypeError &&
    /^(CommandInteractionOption|AutocompleteInteractionOption|ModalSubmitInteraction)/.test(
      error.code,
    )
  );
}

/** Discord refuses the whole list for one name that is too long or empty, and shows any text unchanged. */
function offered(choices: readonly Choice[]): Choice[] {
  return choices
    .slice(0, limits.choices)
    .map(({ name, value }) => ({ name: cleanLine(name, limits.choiceLength) || '—', value }));
}

/** Tries twice, because nothing else would tell the member what happened. */
async function tell(interaction: Answerable, text: string): Promise<void> {
  await answer(interaction, text).catch(async (error: unknown) => {
    if (isApiError(error, 'UnknownInteraction')) throw error;
    await answer(interaction, text);
  });
}

async function measured<T>(
  kind: MetricEvents['interaction']['kind'],
  { data }: Pick<Command<never>, 'data'>,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  let outcome: MetricEvents['interaction']['outcome'] = 'answered';
  try {
    return await work();
  } catch (error) {
    const isRefused = error instanceof UserError || isMisshapen(error);
    outcome = isRefused ? 'refused' : isOutage(error) ? 'outage' : 'fault';
    throw error;
  } finally {
    const seconds = (performance.now() - startedMs) / 1000;
    emitMetric('interaction', { kind, command: data.name, outcome, seconds });
  }
}
