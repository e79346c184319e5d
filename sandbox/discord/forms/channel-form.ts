import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Overwrite } from '../model/channel.ts';

const zId = z.string().regex(/^\d{15,20}$/, 'Value is not snowflake.');
const zBits = z.union([z.string().regex(/^\d+$/), z.int().min(0)]).nullish();

export const zOverwrite = z.object({
  id: zId,
  type: z.int().min(0).max(1),
  allow: zBits,
  deny: zBits,
});

export function toOverwrites(forms: z.output<typeof zOverwrite>[]): Overwrite[] {
  return forms.map(({ id, type, allow, deny }) => ({
    id,
    kind: type === 0 ? 'role' : 'member',
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

/** What can be set of a channel or a thread. */
export const zChannelForm = z.object({
  name: z.string().min(1).max(100).optional(),
  topic: z.string().max(4096).nullish(),
  position: z.int().min(0).nullish(),
  parent_id: zId.nullish(),
  nsfw: z.boolean().nullish(),
  permission_overwrites: z.array(zOverwrite).nullish(),
  archived: z.boolean().optional(),
  locked: z.boolean().optional(),
  auto_archive_duration: zArchiveMinutes.optional(),
  applied_tags: z.array(zId).max(5).optional(),
});

export const zThreadForm = z.object({
  name: z.string().max(100).regex(/\S/, 'This field is required'),
  type: z.enum(ChannelType).nullish(),
  auto_archive_duration: zArchiveMinutes.nullish(),
  applied_tags: z.array(zId).max(5).nullish(),
  message: z.looseObject({}).nullish(),
});
