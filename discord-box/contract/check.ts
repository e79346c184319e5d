import { boolean, number, object, optional, record, string, unknown } from 'zod/mini';
import type { $ZodShape, $ZodType } from 'zod/v4/core';
import type { Exchange } from '../src/model/exchanges.ts';
import { isAllowed } from './allowed-differences.ts';
import { compare } from './compare.ts';
import { eventContracts } from './events.ts';
import { routeContracts } from './routes.ts';
import { loadSchemas } from './schemas.ts';

/** What is wrong by Discord's published specification, a sentence for each field. */
export type Violations = {
  /** Of a request: the real Discord would refuse or not understand it. */
  ofBot: string[];
  /** Of a response or event: the real Discord would not send it. */
  ofDiscord: string[];
};

export type Check = (exchange: Exchange) => Violations;

/** Discord's "Invalid Form Body", "Cannot send an empty message" and "invalid JSON". */
const INVALID_BODY = [50035, 50006, 50109];

/** The specification's error, in which Discord names what is wrong with a field by a text, not by a number. */
const errorBody = object({
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

  function checkRequest(exchange: Exchange & { kind: 'request' }): Violations {
    const { method, route, query, body, status, response } = exchange;
    const name = `${method} ${route}`;
    const contract = routes(method, route);
    if (contract === undefined) {
      return { ofBot: [`${name}: the specification has no such route`], ofDiscord: [] };
    }
    const ofBot =
      contract.body === undefined
        ? []
        : violationsOf(`${name} sent`, contract.body, body).filter(
            (violation) => !isAllowed(violation),
          );
    ofBot.push(...queryViolations(name, contract.query, query));
    const { code } = (response ?? {}) as { code?: number };
    // The forms hold the documented limits that the specification does not know.
    if (status >= 400 && INVALID_BODY.includes(code ?? 0)) {
      ofBot.push(`${name} refused: ${JSON.stringify(response)}`);
    }
    if (status >= 400)
      return { ofBot, ofDiscord: violationsOf(`${name} ${status}`, errorBody, response) };
    const ofDiscord = contract.responses.has(status)
      ? violationsOf(`${name} ${status}`, contract.responses.get(status), response)
      : [`${name}: the specification has no response with ${status}`];
    return { ofBot, ofDiscord };
  }

  return (exchange) => {
    const { ofBot, ofDiscord } =
      exchange.kind === 'request'
        ? checkRequest(exchange)
        : {
            ofBot: [],
            ofDiscord: violationsOf(exchange.name, events[exchange.name], exchange.data),
          };
    return {
      ofBot: ofBot.filter((violation) => !isAllowed(violation)),
      ofDiscord: ofDiscord.filter((violation) => !isAllowed(violation)),
    };
  };
}

/** A query is text: numbers and truth are written out in it. */
function queryViolations(
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
  return violationsOf(`${name} asked`, object(contract as $ZodShape), Object.fromEntries(given));
}

function violationsOf(what: string, contract: $ZodType | undefined, value: unknown): string[] {
  if (contract === undefined) {
    return value === undefined ? [] : [`${what}: the specification has no such body`];
  }
  return compare(contract, value).map(({ path, why }) => `${what}: ${path || '.'} ${why}`);
}
