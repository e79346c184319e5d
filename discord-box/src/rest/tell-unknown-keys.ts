import { InteractionResponseType as Answer } from 'discord-api-types/v10';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { commandForm, zChoice } from '../forms/command-form.ts';
import { zModal } from '../forms/component-form.ts';
import { zMessageFields, zWebhookFields } from '../forms/message-form.ts';
import { knownParts, unknownKeys } from '../forms/unknown-keys.ts';
import type { Json } from '../model/message.ts';

/** The paths of what Discord does not know in a body. */
type UnknownOf = (body: unknown) => string[];

const ofMessage = ofForm(zMessageFields);
const ofWebhook = ofForm(zWebhookFields);
const ofCommand: UnknownOf = (body) => unknownKeys(commandForm(body), body);
const ofCommands: UnknownOf = (body) =>
  Array.isArray(body)
    ? body.flatMap((one, index) => ofCommand(one).map((path) => `[${index}].${path}`))
    : [];

const zAnswer = z.object({ type: z.unknown(), data: z.looseObject({}) });
const ofChoices = ofForm(z.object({ choices: z.array(zChoice) }));
const ofModal = ofForm(zModal);
const ofAnswer: UnknownOf = (body) => {
  const { type, data } = body as { type?: Answer; data?: unknown };
  const ofData =
    type === Answer.Modal
      ? ofModal
      : type === Answer.ApplicationCommandAutocompleteResult
        ? ofChoices
        : ofMessage;
  return [...unknownKeys(zAnswer, body), ...ofData(data ?? {}).map((path) => `data.${path}`)];
};

const COMMANDS = '/applications/:application/commands';
const COMMANDS_OF_GUILD = '/applications/:application/guilds/:guild/commands';
const WEBHOOK = '/webhooks/:application/:token';

const ROUTES: Record<string, UnknownOf> = {
  'POST /channels/:channel/messages': ofMessage,
  'PATCH /channels/:channel/messages/:message': ofMessage,
  [`POST ${WEBHOOK}`]: ofWebhook,
  [`PATCH ${WEBHOOK}/messages/:message`]: ofMessage,
  'POST /interactions/:interaction/:token/callback': ofAnswer,
  ...Object.fromEntries(
    [COMMANDS, COMMANDS_OF_GUILD].flatMap((path): [string, UnknownOf][] => [
      [`POST ${path}`, ofCommand],
      [`PATCH ${path}/:command`, ofCommand],
      [`PUT ${path}`, ofCommands],
    ]),
  ),
};

/**
 * Discord ignores a key that it does not know, so that a typing error in a message, a command or a
 * component shows nowhere. Here each is named, once on the terminal.
 */
export function tellsUnknownKeys(routeOf: (context: Context) => string): MiddlewareHandler {
  const told = new Set<string>();
  return async (context, next) => {
    await next();
    const route = `${context.req.method} ${routeOf(context)}`;
    const unknownOf = ROUTES[route];
    if (unknownOf === undefined || !context.res.ok) return;
    const isOld = context.req.path.startsWith('/api/v9/');
    for (const path of unknownOf(await sentBody(context))) {
      // Version 9 has it still.
      if (isOld && path === 'embed') continue;
      const line = `Discord does not know "${path.replaceAll(/\[\d+\]/g, '[]')}", which a bot sent with ${route}, and ignores it.`;
      if (!told.has(line)) console.error(line);
      told.add(line);
    }
  };
}

function ofForm(form: z.ZodType): UnknownOf {
  return (body) => {
    const found = unknownKeys(form, body);
    knownParts((body as Json)['components'], (path) => found.push(`components${path}`));
    return found;
  };
}

/** The JSON of a body that was taken, also where files stand beside it. */
async function sentBody({ req }: Context): Promise<unknown> {
  const isForm = req.header('content-type')?.startsWith('multipart/form-data') === true;
  const sent = isForm ? (await req.formData()).get('payload_json') : await req.text();
  const text = typeof sent === 'string' && sent !== '' ? sent : '{}';
  return JSON.parse(text) as unknown;
}
