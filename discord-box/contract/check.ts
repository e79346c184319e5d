import { boolean, number, object, optional, record, string, unknown } from 'zod/mini';
import type { $ZodShape, $ZodType } from 'zod/v4/core';
import type { Exchange } from '../src/model/exchanges.ts';
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
    const { method, route, query, body, status, answer } = exchange;
    const name = `${method} ${route}`;
    const contract = routes(method, route);
    if (contract === undefined) {
      return { ofBot: [`${name}: the specification has no such route`], ofDiscord: [] };
    }
    const ofBot =
      contract.body === undefined
        ? []
        : faultsOf(`${name} sent`, contract.body, body).filter((fault) => !isAllowed(fault));
    ofBot.push(...queryFaults(name, contract.query, query));
    const { code } = (answer ?? {}) as { code?: number };
    // The forms hold the documented limits that the specification does not know.
    if (status >= 400 && INVALID_BODY.includes(code ?? 0)) {
      ofBot.push(`${name} refused: ${JSON.stringify(answer)}`);
    }
    if (status >= 400) return { ofBot, ofDiscord: faultsOf(`${name} ${status}`, refusal, answer) };
    const ofDiscord = contract.answers.has(status)
      ? faultsOf(`${name} ${status}`, contract.answers.get(status), answer)
      : [`${name}: the specification has no answer with ${status}`];
    return { ofBot, ofDiscord };
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

/** A query is text: numbers and truth are written out in it. */
function queryFaults(
  name: string,
  contract: Record<string, $ZodType>,
  query: Record<string, string>,
): string[] {
  const given = Object.entries(query).map(([key, text]): [string, unknown] => {
    const truth = text === 'true' ? true : text === 'false' ? false : text;
    // A list is written as its parts, one after the other.
    const values = [text, Number(text), truth, [text]];
    const schema = contract[key];
    const fits = (value: unknown) => schema !== undefined && compare(schema, value).length === 0;
    return [key, values.find(fits) ?? text];
  });
  return faultsOf(`${name} asked`, object(contract as $ZodShape), Object.fromEntries(given));
}

function faultsOf(what: string, contract: $ZodType | undefined, value: unknown): string[] {
  if (contract === undefined) {
    return value === undefined ? [] : [`${what}: the specification has no such body`];
  }
  return compare(contract, value).map(({ path, why }) => `${what}: ${path || '.'} ${why}`);
}
