import { Locale } from 'discord-api-types/v10';
import { z } from 'zod';
import { channelPayload } from '../../../discord-box/src/world/channels/channel-payload.ts';
import type { Actor } from '../../../discord-box/src/act/actor.ts';

/** An action of a member over HTTP: its input, and what it does. */
type Verb = { form: z.ZodType; act(actor: Actor, input: never): unknown };

function verb<Form extends z.ZodType>(
  form: Form,
  act: (actor: Actor, input: z.output<Form>) => unknown,
): Verb {
  return { form, act };
}

const id = z.string().regex(/^\d{15,20}$/);
const at = z.object({ channel: id });
const on = at.extend({ message: id });
const file = z
  .object({ filename: z.string().min(1).max(200), base64: z.base64() })
  .transform(({ filename, base64 }) => ({ filename, data: Buffer.from(base64, 'base64') }));
const value = z.union([z.string(), z.number(), z.boolean()]);
const fields = z.record(z.string(), value).default({});
const values = z.record(z.string(), z.union([value, file])).default({});
const reaction = on.extend({ emoji: z.string() });

/** `POST /sandbox/as/:user/<verb>`: what a member does, as that member. */
export const VERBS: Record<string, Verb> = {
  send: verb(at.extend({ content: z.string() }), (actor, input) =>
    actor.send(input.channel, input.content),
  ),
  delete: verb(on, (actor, input) => actor.delete(input.channel, input.message)),
  'suppress-embeds': verb(on, (actor, input) => actor.suppressEmbeds(input.channel, input.message)),
  dismiss: verb(on, (actor, input) => actor.dismiss(input.channel, input.message)),
  react: verb(reaction, (actor, input) => actor.react(input.channel, input.message, input.emoji)),
  unreact: verb(reaction, (actor, input) =>
    actor.unreact(input.channel, input.message, input.emoji),
  ),
  command: verb(at.extend({ words: z.string(), values }), (actor, input) =>
    actor.command(input.channel, input.words, input.values),
  ),
  complete: verb(at.extend({ words: z.string(), focused: z.string(), values }), (actor, input) =>
    actor.complete(input.channel, input.words, input.focused, input.values),
  ),
  'message-command': verb(on.extend({ name: z.string() }), (actor, input) =>
    actor.messageCommand(input.channel, input.message, input.name),
  ),
  press: verb(on.extend({ customId: z.string() }), (actor, input) =>
    actor.press(input.channel, input.message, input.customId),
  ),
  choose: verb(on.extend({ customId: z.string(), values: z.array(z.string()) }), (actor, input) =>
    actor.choose(input.channel, input.message, input.customId, input.values),
  ),
  submit: verb(z.object({ interaction: id, fields }), (actor, input) =>
    actor.submit(input.interaction, input.fields),
  ),
  'start-thread': verb(at.extend({ name: z.string(), from: id }), (actor, input) =>
    channelPayload(actor.startThread(input.channel, input.name, { from: input.from })),
  ),
  post: verb(at.extend({ name: z.string(), content: z.string() }), (actor, input) =>
    channelPayload(actor.post(input.channel, input.name, input.content)),
  ),
  /** The language of the member's own client. */
  speak: verb(z.object({ locale: z.enum(Locale) }), (actor, input) => actor.speak(input.locale)),
  'direct-messages': verb(z.object({}), (actor) => ({ id: actor.directMessages().id })),
};
