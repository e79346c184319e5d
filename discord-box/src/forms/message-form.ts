import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { parseUrl } from './url.ts';
import { zComponents } from './component-form.ts';

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

const zPicture = z.looseObject({ url: zUrl });

/** Texts are trimmed before their lengths are looked at. */
const zEmbed = z.looseObject({
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
    .looseObject({ text: z.string().trim().min(1).max(2048), icon_url: zUrl.nullish() })
    .nullish(),
  image: zPicture.nullish(),
  thumbnail: zPicture.nullish(),
  author: z
    .looseObject({
      name: z.string().trim().min(1).max(256),
      url: zUrl.nullish(),
      icon_url: zUrl.nullish(),
    })
    .nullish(),
  fields: z
    .array(
      z.looseObject({
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

/** The body of a message, for sending, editing and answering. */
export const zMessage = z.object({
  content: z.string().max(2000).nullish(),
  embeds: zEmbeds.nullish(),
  components: zComponents.nullish(),
  allowed_mentions: zAllowedMentions.nullish(),
  flags: z
    .int()
    .min(0)
    .refine((flags) => (flags & MessageFlags.IsComponentsV2) === 0, {
      message: 'The newer layout is not known here.',
    })
    .nullish(),
  nonce: z.union([z.string().max(25), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  tts: z.boolean().nullish(),
  message_reference: z
    .object({ message_id: zId, fail_if_not_exists: z.boolean().nullish() })
    .nullish(),
  attachments: z
    .array(
      z.object({
        id: z.union([z.string(), z.int()]),
        filename: z.string().max(260).nullish(),
        description: z.string().max(1024).nullish(),
      }),
    )
    .max(10)
    .nullish(),
});

export type MessageForm = z.output<typeof zMessage>;
