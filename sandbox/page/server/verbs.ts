import { Locale } from 'discord-api-types/v10';
import { z } from 'zod';
import { channelPayload } from '../../discord/channels/channel-payload.ts';
import type { Actor } from '../../discord/members/actor.ts';
import type { Operator, PermissionName } from '../../discord/members/operator.ts';

/** One verb over HTTP: what it needs, and what it does with it. */
type Verb<Doer> = { form: z.ZodType; act(doer: Doer, input: never): unknown };

function verb<Doer, Form extends z.ZodType>(
  form: Form,
  act: (doer: Doer, input: z.output<Form>) => unknown,
): Verb<Doer> {
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
const reaction = on.extend({ emoji: z.string(), burst: z.boolean().default(false) });

type ActorVerb = Verb<Actor>;
const asActor = <Form extends z.ZodType>(
  form: Form,
  act: (actor: Actor, input: z.output<Form>) => unknown,
): ActorVerb => verb<Actor, Form>(form, act);

/** `POST /sandbox/as/:user/<verb>`: what a member does, as that member. */
export const ACTOR_VERBS: Record<string, ActorVerb> = {
  send: asActor(at.extend({ content: z.string(), replyTo: id.optional() }), (actor, input) =>
    actor.send(
      input.channel,
      input.content,
      input.replyTo === undefined ? {} : { replyTo: input.replyTo },
    ),
  ),
  edit: asActor(on.extend({ content: z.string() }), (actor, input) =>
    actor.edit(input.channel, input.message, input.content),
  ),
  delete: asActor(on, (actor, input) => actor.delete(input.channel, input.message)),
  'suppress-embeds': asActor(on, (actor, input) =>
    actor.suppressEmbeds(input.channel, input.message),
  ),
  dismiss: asActor(on, (actor, input) => actor.dismiss(input.channel, input.message)),
  react: asActor(reaction, (actor, input) =>
    actor.react(input.channel, input.message, input.emoji, input.burst),
  ),
  unreact: asActor(reaction, (actor, input) =>
    actor.unreact(input.channel, input.message, input.emoji, input.burst),
  ),
  command: asActor(at.extend({ words: z.string(), values }), (actor, input) =>
    actor.command(input.channel, input.words, input.values),
  ),
  complete: asActor(at.extend({ words: z.string(), focused: z.string(), values }), (actor, input) =>
    actor.complete(input.channel, input.words, input.focused, input.values),
  ),
  'message-command': asActor(on.extend({ name: z.string() }), (actor, input) =>
    actor.messageCommand(input.channel, input.message, input.name),
  ),
  'user-command': asActor(at.extend({ target: id, name: z.string() }), (actor, input) =>
    actor.userCommand(input.channel, input.target, input.name),
  ),
  press: asActor(on.extend({ customId: z.string() }), (actor, input) =>
    actor.press(input.channel, input.message, input.customId),
  ),
  choose: asActor(
    on.extend({ customId: z.string(), values: z.array(z.string()) }),
    (actor, input) => actor.choose(input.channel, input.message, input.customId, input.values),
  ),
  submit: asActor(z.object({ interaction: id, fields }), (actor, input) =>
    actor.submit(input.interaction, input.fields),
  ),
  'start-thread': asActor(
    at.extend({ name: z.string(), from: id.optional(), private: z.boolean().default(false) }),
    (actor, { channel, name, from, private: hidden }) =>
      channelPayload(
        actor.startThread(channel, name, {
          private: hidden,
          ...(from === undefined ? {} : { from }),
        }),
      ),
  ),
  post: asActor(at.extend({ name: z.string(), content: z.string() }), (actor, input) =>
    channelPayload(actor.post(input.channel, input.name, input.content)),
  ),
  archive: asActor(at.extend({ archived: z.boolean() }), (actor, input) =>
    actor.archive(input.channel, input.archived),
  ),
  /** The language of the member's own client. */
  speak: asActor(z.object({ locale: z.enum(Locale) }), (actor, input) => actor.speak(input.locale)),
  'direct-messages': asActor(z.object({}), (actor) => ({ id: actor.directMessages().id })),
};

const asOperator = <Form extends z.ZodType>(
  form: Form,
  act: (operator: Operator, input: z.output<Form>) => unknown,
): Verb<Operator> => verb<Operator, Form>(form, act);
const guild = id.optional();
const permissions = z.array(z.string() as unknown as z.ZodType<PermissionName>);

/** `POST /sandbox/operate/<verb>`: what needs no member. */
export const OPERATOR_VERBS: Record<string, Verb<Operator>> = {
  'create-guild': asOperator(z.object({ name: z.string(), owner: id }), (operator, input) =>
    operator.createGuild(input),
  ),
  'create-channel': asOperator(
    z.object({
      guild,
      name: z.string(),
      kind: z.enum(['text', 'forum', 'category', 'announcement', 'voice', 'stage']).optional(),
      parent: id.optional(),
      ageRestricted: z.boolean().optional(),
    }),
    (operator, input) => channelPayload(operator.createChannel(input)),
  ),
  'rename-channel': asOperator(at.extend({ name: z.string() }), (operator, input) =>
    operator.renameChannel(input),
  ),
  'move-channel': asOperator(at.extend({ parent: id.nullable() }), (operator, input) =>
    operator.moveChannel(input),
  ),
  'delete-channel': asOperator(at, (operator, input) => operator.deleteChannel(input)),
  'archive-thread': asOperator(
    at.extend({ archived: z.boolean(), locked: z.boolean().optional() }),
    (operator, input) => operator.archiveThread(input),
  ),
  'set-permissions': asOperator(
    at.extend({ who: z.string(), allow: permissions.optional(), deny: permissions.optional() }),
    (operator, input) => operator.setPermissions(input),
  ),
  'set-bot-permissions': asOperator(z.object({ guild, permissions }), (operator, input) =>
    operator.setBotPermissions(input),
  ),
  'delete-messages': asOperator(at.extend({ messages: z.array(id) }), (operator, input) =>
    operator.deleteMessages(input),
  ),
  'clear-reactions': asOperator(on.extend({ emoji: z.string().optional() }), (operator, input) =>
    operator.clearReactions(input),
  ),
  'add-person': asOperator(
    z.object({
      guild,
      username: z.string(),
      name: z.string().optional(),
      bot: z.boolean().optional(),
      locale: z.string().optional(),
      bornMs: z.number().optional(),
    }),
    (operator, input) => ({ id: operator.addPerson(input) }),
  ),
  'give-role': asOperator(z.object({ guild, member: id, permissions }), (operator, input) =>
    operator.giveRole(input),
  ),
  'remove-member': asOperator(z.object({ guild, member: id }), (operator, input) =>
    operator.removeMember(input),
  ),
  'kick-bot': asOperator(z.object({ guild }), (operator, input) => operator.kickBot(input)),
  'invite-bot': asOperator(z.object({ guild }), (operator, input) => operator.inviteBot(input)),
  'set-outage': asOperator(z.object({ guild, outage: z.boolean() }), (operator, input) =>
    operator.setOutage(input),
  ),
};
