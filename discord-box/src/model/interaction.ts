import type { InteractionResponseType, InteractionType } from 'discord-api-types/v10';
import type { Snowflake } from './snowflakes.ts';
import type { Json } from './message.ts';

export type Interaction = {
  id: Snowflake;
  token: string;
  type: InteractionType;
  userId: Snowflake;
  guildId: Snowflake | null;
  channelId: Snowflake;
  createdAtMs: number;
  /** The command's name, for the message that answers it. */
  name: string | null;
  /** Of a command of a menu: the message or the member that it was used on. */
  target: { kind: 'message' | 'user'; id: Snowflake } | null;
  /** Of a button or a select. */
  customId: string | null;
  /** The message whose button or select was used. */
  sourceId: Snowflake | null;
  /** The interaction that was answered with the form that this one submits. */
  formOf: Interaction | null;
  state: 'waiting' | 'answered' | 'failed';
  /** The answer's callback type, once there is one. */
  answer: InteractionResponseType | null;
  /** The message that `@original` means. */
  originalId: Snowflake | null;
  messageIds: Set<Snowflake>;
  choices: { name: string; value: string | number }[] | null;
  modal: Json | null;
  deadline: NodeJS.Timeout | null;
};
