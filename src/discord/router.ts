import { randomBytes } from 'node:crypto';
import { Events, type Interaction, MessageFlags } from 'discord.js';
import { fault } from '../log.ts';
import { type Signals, tell } from '../signals.ts';
import { translate } from '../text/catalogue.ts';
import { answer, openBudget } from './answer.ts';
import type { Bot } from './bot.ts';
import type { Choice, Command, GuildCommand, GuildCompletion, GuildComponent } from './command.ts';
import type { Commands } from './commands.ts';
import { isOutage } from './outage.ts';
import { UserError } from './user-error.ts';

export type Router = { stop(): Promise<void> };

/** Within the 2 s that are promised; a list that comes later would help nobody. */
const completionBudgetMs = 1500;
const choicesAtMost = 25;

/** Leads every interaction to its command, and answers it whatever happens there. */
export function openRouter(bot: Bot, commands: Commands): Router {
  const { client, log } = bot;
  const inFlight = new Set<Promise<void>>();
  let stopped = false;

  client.on(Events.InteractionCreate, (interaction) => {
    const work = route(interaction)
      .catch((error: unknown) => {
        log.warn({ ...fault(error), interaction: interaction.id }, 'An answer did not arrive.');
      })
      .finally(() => inFlight.delete(work));
    inFlight.add(work);
  });

  async function route(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) {
      const command = commands.get(interaction.commandName);
      const usable = !stopped && interaction.inCachedGuild() && command !== undefined;
      await interaction.respond(usable ? await completion(command, interaction) : []);
      return;
    }
    if (!interaction.isChatInputCommand() && !interaction.isMessageComponent()) return;
    if (stopped) return refuse(interaction, 'stopping');
    if (!interaction.inCachedGuild()) return refuse(interaction, 'guild.only');
    const [name = '', ...args] = interaction.isChatInputCommand()
      ? [interaction.commandName]
      : interaction.customId.split('|');
    const command = commands.get(name);
    if (interaction.isChatInputCommand()) {
      if (!command) return refuse(interaction, 'stale');
      return answered(interaction, command, () => command.run(interaction, bot));
    }
    if (!command?.component) return refuse(interaction, 'stale');
    return answered(interaction, command, async () => command.component?.(interaction, args, bot));
  }

  async function answered(
    interaction: GuildCommand | GuildComponent,
    command: Command,
    work: () => Promise<void>,
  ): Promise<void> {
    const close = openBudget(interaction, log);
    const counted = begin(interaction.isMessageComponent() ? 'component' : 'command', command);
    try {
      await work();
      counted('answered');
    } catch (error) {
      counted(outcomeOf(error));
      await answer(interaction, excuse(error, interaction, command));
    } finally {
      close();
    }
  }

  function excuse(
    error: unknown,
    { locale, guildId }: GuildCommand | GuildComponent,
    command: Command,
  ): string {
    if (error instanceof UserError) return error.inLanguageOf(locale);
    const reference = randomBytes(4).toString('hex');
    const fields = { ...fault(error), reference, guild: guildId, command: command.data.name };
    if (isOutage(error)) {
      log.warn(fields, 'A command failed because Redis is away.');
      return translate(locale, command.readOnly ? 'outage.read' : 'outage.write');
    }
    log.error(fields, 'A command failed.');
    return translate(locale, 'fault.neutral', { reference });
  }

  /** Empty rather than late or wrong: completion has no place for an error. */
  async function completion(command: Command, interaction: GuildCompletion): Promise<Choice[]> {
    const counted = begin('completion', command);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Choice[]>((resolve) => {
      timer = setTimeout(() => resolve([]), completionBudgetMs);
    });
    try {
      const choices = command.complete?.(interaction, bot) ?? [];
      const chosen = (await Promise.race([choices, late])).slice(0, choicesAtMost);
      counted('answered');
      return chosen;
    } catch (error) {
      counted(outcomeOf(error));
      if (!(error instanceof UserError)) {
        log.warn({ ...fault(error), command: command.data.name }, 'A completion failed.');
      }
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async stop() {
      stopped = true;
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}

async function refuse(
  interaction: Extract<Interaction, { reply: unknown }>,
  key: 'stopping' | 'guild.only' | 'stale',
): Promise<void> {
  await interaction.reply({
    content: translate(interaction.locale, key),
    flags: MessageFlags.Ephemeral,
  });
}

type Outcome = Signals['interaction']['outcome'];

/** Returns what to call when the command is done with. */
function begin(
  kind: Signals['interaction']['kind'],
  { data }: Command,
): (outcome: Outcome) => void {
  const startedMs = performance.now();
  return (outcome) => {
    const seconds = (performance.now() - startedMs) / 1000;
    tell('interaction', { kind, command: data.name, outcome, seconds });
  };
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof UserError) return 'refused';
  return isOutage(error) ? 'outage' : 'fault';
}
