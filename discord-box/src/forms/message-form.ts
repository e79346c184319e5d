import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { parseUrl } from './url.ts';
import { zComponents, zLayout } from './component-form.ts';

const zId = z.string().regex(/^\d{15,20}$/, 'Value is not snowflake.');

/** A link in an embed: http, https or one of the message's own files. */
const zUrl = z
  .string()
  .max(2048)
  .refine((url) => /^attachment:\/\/\S+$/.test(url) || isWebUrl(url), {
    message: 'Not a well formed URL.',
    params: { code: 'URL_TYPE_INVALID_URL' },
  });

function isWebUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s]+$/i.test(text)) return false;
  const url = parseUrl(text);
  return url !== null && url.hostname !== '';
}

/** What Discord finds out by itself: taken and left out. */
const zIgnored = z
  .unknown()
  .optional()
  .transform(() => undefined);
const IGNORED_OF_PICTURES = {
  proxy_url: zIgnored,
  width: zIgnored,
  height: zIgnored,
  placeholder: zIgnored,
  placeholder_version: zIgnored,
  is_animated: zIgnored,
  description: zIgnored,
  content_type: zIgnored,
  flags: zIgnored,
};
const IGNORED_OF_FILES = {
  duration_secs: zIgnored,
  waveform: zIgnored,
  title: zIgnored,
  is_thumbnail: zIgnored,
  is_spoiler: zIgnored,
};
const zPicture = z.object({ url: zUrl, ...IGNORED_OF_PICTURES });

/** Texts are trimmed before their lengths are looked at. */
const zEmbed = z.object({
  type: zIgnored,
  provider: zIgnored,
  video: zIgnored,
  title: z.string().trim().max(256).nullish(),
  description: z.string().trim().max(4096).nullish(),
  url: zUrl.nullish(),
  timestamp: z
    .string()
    .refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), {
      message: 'Could not parse as ISO8601.',
    })
    .nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  footer: z
    .object({
      text: z.string().trim().min(1).max(2048),
      icon_url: zUrl.nullish(),
      proxy_icon_url: zIgnored,
    })
    .nullish(),
  image: zPicture.nullish(),
  thumbnail: zPicture.nullish(),
  author: z
    .object({
      name: z.string().trim().min(1).max(256),
      proxy_icon_url: zIgnored,
      url: zUrl.nullish(),
      icon_url: zUrl.nullish(),
    })
    .nullish(),
  fields: z
    .array(
      z.object({
        name: z.string().trim().min(1).max(256),
        value: z.string().trim().min(1).max(1024),
        inline: z.boolean().nullish(),
      }),
    )
    .max(25)
    .nullish(),
});

const zEmbeds = z
  .array(zEmbed)
  .max(10)
  .superRefine((embeds, context) => {
    embeds.forEach((embed, index) => {
      if (showsSomething(embed)) return;
      const params = { code: 'BASE_TYPE_REQUIRED' };
      context.addIssue({
        code: 'custom',
        path: [index],
        message: 'This field is required',
        params,
      });
    });
    if (embeds.reduce((size, embed) => size + embedSize(embed), 0) > 6000) {
      context.addIssue({
        code: 'custom',
        message: 'Embed size exceeds maximum size of 6000',
        params: { code: 'MAX_EMBED_SIZE_EXCEEDED' },
      });
    }
  });

function showsSomething(embed: z.output<typeof zEmbed>): boolean {
  const { title, description, author, footer, image, thumbnail, timestamp, fields } = embed;
  const parts = [title, description, author, footer, image, thumbnail, timestamp, fields?.length];
  return parts.some(Boolean);
}

function embedSize(embed: z.output<typeof zEmbed>): number {
  const texts = [
    embed.title,
    embed.description,
    embed.footer?.text,
    embed.author?.name,
    ...(embed.fields ?? []).flatMap((field) => [field.name, field.value]),
  ];
  return texts.reduce((size, text) => size + (text?.length ?? 0), 0);
}

const zPollEmoji = z.object({ id: zId.nullish(), name: z.string().nullish() }).nullish();

const zAllowedMentions = z
  .object({
    parse: z.array(z.enum(['users', 'roles', 'everyone'])).optional(),
    users: z.array(zId).max(100).optional(),
    roles: z.array(zId).max(100).optional(),
    replied_user: z.boolean().optional(),
  })
  .superRefine((mentions, context) => {
    for (const kind of ['users', 'roles'] as const) {
      if (mentions.parse?.includes(kind) !== true || (mentions[kind]?.length ?? 0) === 0) continue;
      context.addIssue({
        code: 'custom',
        path: ['parse'],
        message: `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
        params: { code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE' },
      });
    }
  });

const zPollText = (most: number) => z.string().max(most).regex(/\S/, 'This field is required');

const zPoll = z.object({
  question: z.object({ text: zPollText(300) }),
  answers: z
    .array(z.object({ poll_media: z.object({ text: zPollText(55), emoji: zPollEmoji }) }))
    .min(1)
    .max(10),
  duration: z
    .int()
    .min(1)
    .max(32 * 24)
    .default(24),
  allow_multiselect: z.boolean().default(false),
  layout_type: z.literal(1).default(1),
});

/** The fields of a message; what its components need is in `messageForm`. */
export const zMessageFields = z.object({
  content: z.string().max(2000).nullish(),
  embeds: zEmbeds.nullish(),
  components: z.array(z.looseObject({ type: z.int() })).nullish(),
  allowed_mentions: zAllowedMentions.nullish(),
  flags: z.int().min(0).nullish(),
  nonce: z.union([z.string().max(25), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  tts: z.boolean().nullish(),
  sticker_ids: z.array(zId).max(3).nullish(),
  message_reference: z
    .object({
      /** 1 forwards the message, which may stand in another channel. */
      type: z.union([z.literal(0), z.literal(1)]).nullish(),
      message_id: zId,
      channel_id: zId.nullish(),
      guild_id: zId.nullish(),
      fail_if_not_exists: z.boolean().nullish(),
    })
    .nullish(),
  poll: zPoll.nullish(),
  attachments: z
    .array(
      z.object({
        id: z.union([z.string(), z.int()]),
        filename: z.string().max(260).nullish(),
        description: z.string().max(1024).nullish(),
        ...IGNORED_OF_FILES,
      }),
    )
    .max(10)
    .nullish(),
  shared_client_theme: zIgnored,
});

/** What a webhook names besides. */
export const zWebhookFields = zMessageFields.extend({
  username: z.unknown(),
  avatar_url: z.unknown(),
  thread_name: z.unknown(),
  applied_tags: z.unknown(),
});

export type MessageForm = z.output<typeof zMessageFields>;

/**
 * The body of a message, for sending, editing and answering.
 * `isLayout`: the message that is edited consists of components alone, for good. Flags that are sent
 * without IsComponentsV2 make Discord read its components by the old rules (Discord.Net issue 3132).
 */
export function messageForm(isLayout: boolean): z.ZodType<MessageForm> {
  return zMessageFields.superRefine((form, context) => {
    const layout = form.flags == null ? isLayout : (form.flags & MessageFlags.IsComponentsV2) !== 0;
    const { issues = [] } =
      (layout ? zLayout : zComponents).nullish().safeParse(form.components).error ?? {};
    for (const issue of issues) {
      const path = ['components', ...issue.path];
      context.addIssue({ ...issue, path });
    }
    if (!layout && !isLayout) return;
    for (const field of ['content', 'embeds', 'poll'] as const) {
      const value = form[field];
      if (!value || (Array.isArray(value) && value.length === 0)) continue;
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
        params: { code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2' },
      });
    }
  });
}
