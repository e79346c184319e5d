import { boolean, number, object, optional, record, string, unknown } from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';
import type { Exchange } from '../discord/rest/exchanges.ts';
import { isAllowed } from './allowed-differences.ts';
import { compare } from './compare.ts';
import { eventContracts } from './events.ts';
import { routeContracts } from './routes.ts';
import { loadSchemas } from './schemas.ts';

/** What is wrong by Discord's published specification, a sentence for each field. */
export type Faults = {
  /** Of a request: the real Discord would refuse or not understand it. */
  ofBot: string[];
  /** Of an answer or event: the real Discord would not send it. */
  ofDiscord: string[];
};

export type Check = (exchange: Exchange) => Faults;

/** Discord's "Invalid Form Body", "Cannot send an empty message" and "invalid JSON". */
const INVALID_BODY = [50035, 50006, 50109];

/** The specification's error, in which Discord names a field's fault by a text, not by a number. */
const refusal = object({
  code: number(),
  message: string(),
  errors: optional(record(string(), unknown())),
  retry_after: optional(number()),
  global: optional(boolean()),
});

export async function loadCheck(): Promise<Check> {
  const schemas = await loadSchemas();
  const routes = routeContracts(schemas);
  const events = eventContracts(schemas);

  function checkRequest(exchange: Exchange & { kind: 'request' }): Faults {
    const { method, route, body, status, answer } = exchange;
    const name = `${method} ${route}`;
    const contract = routes[name];
    if (contract === undefined) {
      return { ofBot: [`${name}: the specification has no such route`], ofDiscord: [] };
    }
    const ofBot = contract.body === undefined ? [] : faultsOf(`${name} sent`, contract.body, body);
    const { code } = (answer ?? {}) as { code?: number };
    // The limits that the specification does not know are those of the forms.
    if (status >= 400 && INVALID_BODY.includes(code ?? 0)) {
      ofBot.push(`${name} refused: ${JSON.stringify(answer)}`);
    }
    const answering = status >= 400 ? refusal : status === 204 ? undefined : contract.answer;
    return { ofBot, ofDiscord: faultsOf(`${name} ${status}`, answering, answer) };
  }

  return (exchange) => {
    const { ofBot, ofDiscord } =
      exchange.kind === 'request'
        ? checkRequest(exchange)
        : {
            ofBot: [],
            ofDiscord: faultsOf(exchange.name, events[exchange.name], exchange.data),
          };
    return {
      ofBot: ofBot.filter((fault) => !isAllowed(fault)),
      ofDiscord: ofDiscord.filter((fault) => !isAllowed(fault)),
    };
  };
}

function faultsOf(what: string, contract: $ZodType | undefined, value: unknown): string[] {
  if (contract === undefined) {
    return value === undefined ? [] : [`${what}: the specification has no such body`];
  }
  return compare(contract, value).map(({ path, why }) => `${what}: ${path || '.'} ${why}`);
}
