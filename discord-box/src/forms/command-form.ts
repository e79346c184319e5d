import { ApplicationCommandOptionType as Type, ChannelType, Locale } from 'discord-api-types/v10';
import { z } from 'zod';

/** Letters and digits of any script, - and _, no capitals: the rule for slash commands and options. */
const CHAT_INPUT_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = new Set<string>(Object.values(Locale));

const zChatName = z
  .string()
  .min(1)
  .max(32)
  .refine((name) => CHAT_INPUT_NAME.test(name) && name === name.toLowerCase(), {
    message: 'Command name is invalid',
    params: { code: 'APPLICATION_COMMAND_INVALID_NAME' },
  });

const zText = z.string().max(100).regex(/\S/, 'This field is required');

function localized(text: z.ZodType<string>) {
  return z
    .record(z.string(), text.nullable())
    .nullish()
    .superRefine((texts, context) => {
      for (const locale of Object.keys(texts ?? {})) {
        if (LOCALES.has(locale)) continue;
        context.addIssue({
          code: 'custom',
          path: [locale],
          message: `Value must be one of {${[...LOCALES].join(', ')}}.`,
          params: { code: 'BASE_TYPE_CHOICES' },
        });
      }
    });
}

/** Of a command, or of what completes an option. */
export const zChoice = z.object({
  name: zText,
  name_localizations: localized(z.string().min(1).max(100)),
  value: z.union([z.string().min(1).max(100), z.number()]),
});

const zLeaf = z.object({
  type: z.enum(Type),
  name: zChatName,
  name_localizations: localized(zChatName),
  description: zText,
  description_localizations: localized(zText),
  required: z.boolean().nullish(),
  choices: z.array(zChoice).max(25).nullish(),
  // Media channels are in Discord's preview alone, and one in a list refuses all commands.
  channel_types: z.array(z.enum(ChannelType).exclude(['GuildMedia'])).nullish(),
  min_value: z.number().nullish(),
  max_value: z.number().nullish(),
  min_length: z.int().min(0).max(6000).nullish(),
  max_length: z.int().min(1).max(6000).nullish(),
  autocomplete: z.boolean().nullish(),
  file_types: z.array(z.string()).nullish(),
});

export type CommandOption = z.output<typeof zLeaf> & {
  options?: CommandOption[] | null | undefined;
};

const zOption: z.ZodType<CommandOption> = zLeaf
  .extend({ options: z.lazy(() => zOptions).nullish() })
  .superRefine((option, context) => {
    const report = (message: string, code: string, path: PropertyKey[] = []): void =>
      context.addIssue({ code: 'custom', path, message, params: { code } });
    if (option.autocomplete === true && (option.choices?.length ?? 0) > 0) {
      report(
        'Autocomplete and choices exclude each other.',
        'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE',
      );
    }
    const completed = [Type.String, Type.Integer, Type.Number];
    if (option.autocomplete === true && !completed.includes(option.type)) {
      report('This option type has no autocomplete.', 'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE');
    }
    const groups = [Type.Subcommand, Type.SubcommandGroup];
    if (option.options !== undefined && option.options !== null && !groups.includes(option.type)) {
      const code = 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID';
      report('Only subcommands have options.', code, ['options']);
    }
    if (option.type === Type.SubcommandGroup && !option.options?.length) {
      report('A group has subcommands.', 'BASE_TYPE_REQUIRED', ['options']);
    }
    for (const unit of ['value', 'length'] as const) {
      const [min, max] = [option[`min_${unit}`] ?? -Infinity, option[`max_${unit}`] ?? Infinity];
      if (min > max) report(`Must not be above max_${unit}.`, 'NUMBER_TYPE_MAX', [`min_${unit}`]);
    }
    const choices = option.choices ?? [];
    for (const [index, { name, value }] of choices.entries()) {
      const at = ['choices', index];
      if (choices.findIndex((one) => one.name === name) < index) {
        const code = 'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_EXISTS';
        report('Choice names must be unique.', code, [...at, 'name']);
      }
      if (option.type === Type.Integer && !Number.isInteger(value)) {
        report('Must be a whole number.', 'NUMBER_TYPE_COERCE', [...at, 'value']);
      }
    }
    reportTwice(choices, (path) => report(TWICE, TWICE_CODE, ['choices', ...path]));
  });

const zOptions: z.ZodType<CommandOption[]> = z
  .array(zOption)
  .max(25)
  .superRefine((options, context) => {
    const groups = options.filter(({ type }) => type <= Type.SubcommandGroup).length;
    if (groups > 0 && groups < options.length) {
      const code = 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID';
      const message = 'Subcommands and other options exclude each other.';
      context.addIssue({ code: 'custom', message, params: { code } });
    }
    reportTwice(options, (path) =>
      context.addIssue({ code: 'custom', path, message: TWICE, params: { code: TWICE_CODE } }),
    );
    const names = new Set<string>();
    let optionalSeen = false;
    options.forEach((option, index) => {
      const report = (message: string, code: string): void =>
        context.addIssue({ code: 'custom', path: [index], message, params: { code } });
      if (names.has(option.name)) {
        report('Option names must be unique.', 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID');
      }
      names.add(option.name);
      for (const [locale, name] of Object.entries(option.name_localizations ?? {})) {
        if (!options.some((other) => other !== option && other.name === name)) continue;
        const path = [index, 'name_localizations', locale];
        context.addIssue({ code: 'custom', path, message: TWICE, params: { code: TWICE_CODE } });
      }
      if (option.required === true && optionalSeen) {
        const message = 'Required options must be placed before non-required options';
        report(message, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
      }
      if (option.required !== true) optionalSeen = true;
    });
  });

const TWICE = 'Names must be unique in each language.';
const TWICE_CODE = 'APPLICATION_COMMANDS_DUPLICATE_NAME';

/** Reports each name that another one has in the same language. */
function reportTwice(
  named: { name_localizations?: Texts }[],
  report: (path: PropertyKey[]) => void,
): void {
  const seen = new Set<string>();
  for (const [index, { name_localizations }] of named.entries()) {
    for (const [locale, name] of Object.entries(name_localizations ?? {})) {
      if (name !== null && seen.has(`${locale} ${name}`)) {
        report([index, 'name_localizations', locale]);
      }
      seen.add(`${locale} ${name}`);
    }
  }
}

const zCommon = {
  default_member_permissions: z.string().regex(/^\d+$/).nullish(),
  dm_permission: z.boolean().nullish(),
  contexts: z.array(z.int().min(0).max(2)).nullish(),
  integration_types: z.array(z.int().min(0).max(1)).nullish(),
  nsfw: z.boolean().nullish(),
  handler: z.int().nullish(),
  // Of a command that is changed with all others; Discord goes by its name.
  id: z.string().nullish(),
};

const zChatInput = z
  .object({
    type: z.literal(1).nullish(),
    name: zChatName,
    name_localizations: localized(zChatName),
    description: zText,
    description_localizations: localized(zText),
    options: zOptions.nullish(),
    ...zCommon,
  })
  .superRefine((command, context) => {
    if (commandLength(command) > 8000) {
      context.addIssue({
        code: 'custom',
        message: 'Command exceeds maximum size (8000)',
        params: { code: 'APPLICATION_COMMAND_TOO_LARGE' },
      });
    }
  });

const zContextMenu = z.object({
  type: z.union([z.literal(2), z.literal(3)]),
  name: z.string().min(1).max(32),
  name_localizations: localized(z.string().min(1).max(32)),
  description: z.literal('').nullish(),
  options: z.array(z.never()).nullish(),
  ...zCommon,
});

type Texts = Record<string, string | null> | null | undefined;
type Sized = {
  name: string;
  name_localizations?: Texts;
  description: string;
  description_localizations?: Texts;
  options?: CommandOption[] | null | undefined;
};

/** Names, descriptions and values of choices together; of each text, its longest language. */
function commandLength(sized: Sized): number {
  const { name, name_localizations, description, description_localizations, options } = sized;
  const inner = (options ?? []).map(
    (option) => commandLength(option) + sum((option.choices ?? []).map(choiceLength)),
  );
  return (
    longest(name, name_localizations) + longest(description, description_localizations) + sum(inner)
  );
}

function choiceLength({ name, name_localizations, value }: z.output<typeof zChoice>): number {
  return longest(name, name_localizations) + String(value).length;
}

function longest(text: string, localized: Texts): number {
  return Math.max(text.length, ...Object.values(localized ?? {}).map((one) => one?.length ?? 0));
}

function sum(sizes: number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

export type CommandForm = z.output<typeof zChatInput> | z.output<typeof zContextMenu>;

/** The form that a command must have depends on its type: a slash command when it names none. */
export function commandForm(body: unknown): z.ZodType<CommandForm> {
  const type = typeof body === 'object' && body !== null ? (body as { type?: unknown }).type : 1;
  return type === 2 || type === 3 ? zContextMenu : zChatInput;
}
