import { type Logger, pino } from 'pino';
import { terminalLine } from './terminal-lines.ts';

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
  if (!(error instanceof Error)) return { fault: { message: String(error).slice(0, 300) } };
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
