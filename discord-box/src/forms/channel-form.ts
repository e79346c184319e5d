import { ChannelFlags, ChannelType } from 'discord-api-types/v10';
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

const zSlowmode = z.int().min(0).max(21_600).nullish();
const zTags = z
  .array(
    z.object({
      id: zId.nullish(),
      name: z.string().min(1).max(20),
      moderated: z.boolean().nullish(),
      emoji_id: zId.nullish(),
      emoji_name: z.string().nullish(),
    }),
  )
  .max(20);
export type TagForm = z.output<typeof zTags>[number];

const LIMITS_OF_VOICE = {
  user_limit: z.int().min(0).max(10_000).nullish(),
  bitrate: z.int().min(8000).nullish(),
};

/** Where channels stand, of which those named move. */
export const zChannelPositions = z.array(
  z.object({ id: zId, position: z.int().min(0).nullish(), parent_id: zId.nullish() }),
);

const zArchiveMinutes = z.union([
  z.literal(60),
  z.literal(1440),
  z.literal(4320),
  z.literal(10_080),
]);

/** What clients go by, and what a new thread begins with. */
const SETTINGS = {
  default_auto_archive_duration: zArchiveMinutes.nullish(),
  default_thread_rate_limit_per_user: zSlowmode,
  default_reaction_emoji: z
    .object({
      emoji_id: zId.nullable().default(null),
      emoji_name: z.string().nullable().default(null),
    })
    .nullish(),
  default_sort_order: z.int().min(0).max(1).nullish(),
  default_forum_layout: z.int().min(0).max(2).nullish(),
  rtc_region: z.string().nullish(),
  video_quality_mode: z.int().min(1).max(2).nullish(),
};
const zSettings = z.object(SETTINGS);

/** The part of a form that says how a channel looks and what its posts need. */
export function toSettings(
  form: z.output<typeof zSettings> & { flags?: number | null | undefined },
) {
  return {
    settings: zSettings.parse(form),
    ...(form.flags == null ? {} : { requiresTag: (form.flags & ChannelFlags.RequireTag) !== 0 }),
  };
}

/** A new channel. */
export const zChannelForm = z.object({
  name: z.string().min(1).max(100),
  type: z.enum(ChannelType).default(ChannelType.GuildText),
  topic: z.string().max(4096).nullish(),
  parent_id: zId.nullish(),
  position: z.int().min(0).nullish(),
  nsfw: z.boolean().nullish(),
  permission_overwrites: z.array(zOverwrite).nullish(),
  rate_limit_per_user: zSlowmode,
  available_tags: zTags.nullish(),
  ...LIMITS_OF_VOICE,
  ...SETTINGS,
  flags: z.int().min(0).nullish(),
});

/** A thread that grows from a message. */
export const zThreadForm = z.object({
  name: z.string().max(100).regex(/\S/, 'This field is required'),
  auto_archive_duration: zArchiveMinutes.nullish(),
  rate_limit_per_user: zSlowmode,
});

/** A thread without a message; without a type it is a private one. */
export const zThreadAloneForm = zThreadForm.extend({
  type: z
    .union([
      z.literal(ChannelType.AnnouncementThread),
      z.literal(ChannelType.PublicThread),
      z.literal(ChannelType.PrivateThread),
    ])
    .default(ChannelType.PrivateThread),
  invitable: z.boolean().nullish(),
});

/** A post of a forum: its name, tags and first message. */
export const zPostForm = zThreadForm.extend({
  applied_tags: z.array(zId).max(5).nullish(),
  message: z.looseObject({}),
});

export const zThreadChange = z.object({
  name: zThreadForm.shape.name.nullish(),
  archived: z.boolean().nullish(),
  locked: z.boolean().nullish(),
  auto_archive_duration: zArchiveMinutes.nullish(),
  applied_tags: z.array(zId).max(5).nullish(),
  invitable: z.boolean().nullish(),
  rate_limit_per_user: zSlowmode,
  flags: z.int().min(0).nullish(),
});

export const zChannelChange = z.object({
  name: z.string().min(1).max(100).nullish(),
  type: z
    .union([z.literal(ChannelType.GuildText), z.literal(ChannelType.GuildAnnouncement)])
    .nullish(),
  topic: z.string().max(4096).nullish(),
  position: z.int().min(0).nullish(),
  parent_id: zId.nullish(),
  nsfw: z.boolean().nullish(),
  permission_overwrites: z.array(zOverwrite).nullish(),
  rate_limit_per_user: zSlowmode,
  available_tags: zTags.nullish(),
  ...LIMITS_OF_VOICE,
  ...SETTINGS,
  flags: z.int().min(0).nullish(),
});

export const zOverwriteForm = zOverwrite.omit({ id: true });
