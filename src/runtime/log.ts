import { styleText } from 'node:util';
import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Writes readable lines to a terminal, and JSON to any other output. */
export function createLog(level: string, output: NodeJS.WriteStream = process.stdout): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!output.isTTY) {
    // A line that does not fit on the disk waits in memory, up to `maxLength`, for the next one. Without
    // a handler the fault would be logged, which fails again. And at exit pino would try for ever.
    const file = pino.destination({ dest: 1, maxLength: 1024 * 1024 });
    file.on('error', () => (file.flushSync = () => {}));
    return pino(options, file);
  }
  const write = (json: string) => void output.write(terminalLine(json, output.hasColors()));
  return pino(options, { write });
}

/**
 * The fields of an error that may be logged.
 * An error is never logged whole: those of discord.js contain interaction tokens and request URLs, and
 * those of ioredis contain passwords.
 */
export function fault(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) {
    return { fault: { message: withoutSecrets(String(error)).slice(0, 300) } };
  }
  const { code, status } = error as { code?: unknown; status?: unknown };
  return {
    fault: {
      name: error.name,
      message: withoutSecrets(error.message),
      stack: error.stack === undefined ? undefined : withoutSecrets(error.stack),
      ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
      ...(typeof status === 'number' ? { status } : {}),
    },
  };
}

/** The same without the stack, for a fault of a connection, whose message says all. */
export function faultLine(error: unknown): Record<string, unknown> {
  const { fault: fields } = fault(error) as { fault: Record<string, unknown> };
  const { stack: _, ...others } = fields;
  return { fault: others };
}

/** Removes interaction tokens, which are in webhook paths, and credentials before the @ of a URL. */
function withoutSecrets(text: string): string {
  return text
    .replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/\s"']+/g, '$1…')
    .replace(/:\/\/[^/\s]*@/g, '://…@');
}

/** The fields of pino's lines that a person reads. */
type Entry = {
  level: number;
  time: string;
  msg?: string;
  fault?: { name?: string; message?: string; code?: string | number; stack?: string };
};

/**
 * Formats one line of the log: the local time, the message and its fields. An error without a code has
 * its stack below. With a code, the code explains it.
 */
function terminalLine(json: string, coloured: boolean): string {
  const { level, time, msg: said = '', fault, ...fields } = JSON.parse(json) as Entry;
  const msg = visible(said);
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(style, text) : text;
  const clock = paint('dim', new Date(time).toTimeString().slice(0, 8));
  const { warn, error } = pino.levels.values;
  const message = level >= error! ? paint('red', msg) : level >= warn! ? paint('yellow', msg) : msg;
  const values = Object.entries(fields).map(([name, value]) => `${name}: ${valueText(value)}`);
  const facts = values.length > 0 ? paint('dim', `  ${values.join(', ')}`) : '';
  const below =
    fault === undefined
      ? []
      : faultText(fault)
          .split('\n')
          .map((text) => `         ${visible(text)}`);
  return [`${clock} ${message}${facts}`, ...below, ''].join('\n');
}

function valueText(value: unknown): string {
  return visible(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\n', '\\n');
}

/** A server's name or an error's message could otherwise move the cursor or forge other lines. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

function faultText({ name, message, code, stack }: NonNullable<Entry['fault']>): string {
  if (code === undefined && stack !== undefined) return stack;
  return `${name ?? 'Error'}: ${message}`;
}
