import { ComponentType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { Json, Pings } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { may } from '../permissions.ts';
import type { Snowflake } from '../../model/snowflakes.ts';

export type AllowedMentions = {
  parse?: readonly ('users' | 'roles' | 'everyone')[] | undefined;
  users?: readonly Snowflake[] | undefined;
  roles?: readonly Snowflake[] | undefined;
  replied_user?: boolean | undefined;
};

type Written = {
  authorId: Snowflake;
  content: string;
  /** The texts of a layout are read as well. */
  components: readonly Json[];
  webhook: object | null;
  /** Answers to interactions and webhooks parse users alone where they say nothing else. */
  interaction: object | null;
  replyTo: Snowflake | null;
};

/**
 * Who is pinged by a text: what it mentions, as far as `allowed_mentions` lets it and as far as the
 * author may. Without `allowed_mentions`, that is everything and who is replied to; in an answer to an
 * interaction or a message of a webhook, users. Embeds never ping.
 */
export function pingsOf(
  world: World,
  channel: Channel,
  { authorId, content, components, webhook, interaction, replyTo }: Written,
  allowed: AllowedMentions | undefined,
): Pings {
  const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
  const mayMentionAll =
    webhook !== null || may(world, channel, authorId, PermissionFlagsBits.MentionEveryone);
  const text = [content, ...textsOf(components)].join('\n');
  const isOwn = interaction === null && webhook === null;
  const usual = isOwn ? ['users', 'roles', 'everyone'] : ['users'];
  const parse = allowed === undefined ? usual : (allowed.parse ?? []);
  const repliesTo =
    interaction === null ? channel.messages.get(replyTo ?? '')?.authorId : undefined;
  const pingsReplied = allowed === undefined ? true : allowed.replied_user === true;
  const ids = (pattern: RegExp): Snowflake[] => [
    ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? '')),
  ];
  const named = ids(/<@!?(\d{15,20})>/g).filter(
    (id) => world.users.has(id) && (parse.includes('users') || allowed?.users?.includes(id)),
  );
  const replied = repliesTo !== undefined && pingsReplied ? [repliesTo] : [];
  return {
    userIds: [...new Set([...named, ...replied])],
    roleIds: ids(/<@&(\d{15,20})>/g).filter((id) => {
      const role = guild?.roles.get(id);
      if (role === undefined || !(role.mentionable || mayMentionAll)) return false;
      return parse.includes('roles') || allowed?.roles?.includes(id) === true;
    }),
    everyone: mayMentionAll && parse.includes('everyone') && /@(?:everyone|here)\b/.test(text),
  };
}

/** What a layout says, however deep it stands. */
function textsOf(components: readonly Json[]): string[] {
  return components.flatMap((part) => [
    ...(part['type'] === ComponentType.TextDisplay ? [String(part['content'])] : []),
    ...textsOf((part['components'] ?? []) as Json[]),
  ]);
}
