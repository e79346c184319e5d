import { styleText } from 'node:util';

/** The fields of pino's lines that a person reads. */
type Entry = {
  level: number;
  time: string;
  msg?: string;
  fault?: { name?: string; message?: string; code?: string | number; stack?: string };
};

const WARN_LEVEL = 40;
const ERROR_LEVEL = 50;

/**
 * Formats one line of the log: the local time, the message and its fields. An error without a code has
 * its stack below. With a code, the code explains it.
 */
export function terminalLine(json: string, coloured: boolean): string {
  const { level, time, msg: said = '', fault, ...fields } = JSON.parse(json) as Entry;
  const msg = visible(said);
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(style, text) : text;
  const clock = paint('dim', new Date(time).toTimeString().slice(0, 8));
  const message =
    level >= ERROR_LEVEL ? paint('red', msg) : level >= WARN_LEVEL ? paint('yellow', msg) : msg;
  const values = Object.entries(fields).map(([name, value]) => `${name}: ${valueText(value)}`);
  const facts = values.length > 0 ? paint('dim', `  ${values.join(', ')}`) : '';
  return `${clock} ${message}${facts}\n${fault === undefined ? '' : `${indented(visible(faultText(fault)))}\n`}`;
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

function indented(text: string): string {
  return text.replace(/^/gm, '         ');
}
