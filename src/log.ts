import { type Logger, pino } from 'pino';
import { terminalLine } from './terminal-lines.ts';

export type Log = Logger;

/** Lines for a person where the output is a terminal, and lines of JSON everywhere else. */
export function createLog(level: string, output: NodeJS.WriteStream = process.stdout): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!output.isTTY) return pino(options);
  const write = (json: string) => void output.write(terminalLine(json, output.hasColors()));
  return pino(options, { write });
}

/**
 * The fields of an error that may be logged.
 * Error objects of discord.js hold interaction tokens and those of ioredis hold passwords,
 * so they are never logged whole; discord.js also puts the request's URL, which may hold an
 * interaction token, into fields that are left out here.
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

/** Interaction tokens stand in webhook paths; credentials stand before the @ of a URL. */
function withoutSecrets(text: string): string {
  return text
    .replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/\s"']+/g, '$1…')
    .replace(/(\w+:\/\/)[^@/\s]*@/g, '$1…@');
}
