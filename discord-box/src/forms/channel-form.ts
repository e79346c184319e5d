import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';

const zId = z.string().regex(/^\d{15,20}$/, 'Value is not snowflake.');
const zBits = z.union([z.string().regex(/^\d+$/), z.int().min(0)]).nullish();

const zOverwrite = z.object({
  id: zId,
  type: z.int().min(0).max(1),
  allow: zBits,
  deny: zBits,
});

export function toOverwrites(forms: z.output<typeof zOverwrite>[]) {
  return forms.map(({ id, type, allow, deny }) => ({
    id,
    kind: type === 0 ? ('role' as const) : ('member' as const),
    allow: BigInt(allow ?? 0),
    deny: BigInt(deny ?? 0),
  }));
}

const zArchiveMinutes = z.union([
  z.literal(60),
  z.literal(1440),
  z.literal(4320),
  z.literal(10_080),
]);

/** A new channel. */
export const zChannelForm = z.object({
  name: z.string().min(1).max(100),
  type: z.enum(ChannelType).default(ChannelType.GuildText),
  topic: z.string().max(4096).nullish(),
  parent_id: zId.nullish(),
  nsfw: z.boolean().nullish(),
  permission_overwrites: z.array(zOverwrite).nullish(),
});

/** A thread that grows from a message. */
export const zThreadForm = z.object({
  name: z.string().max(100).regex(/\S/, 'This field is required'),
  auto_archive_duration: zArchiveMinutes.nullish(),
});

/** What the owner of a thread may change in it. */
export const zThreadChange = zThreadForm
  .pick({ name: true })
  .partial()
  .extend({ archived: z.boolean().optional() });
