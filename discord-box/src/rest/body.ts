import type { Context } from 'hono';
import type { Attachment, Json } from '../model/message.ts';
import { parseJson } from '../model/json.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import { refuse } from './errors.ts';

export type Upload = Omit<Attachment, 'id' | 'description'> & { field: string };

/** A request's JSON, and the files beside it when it is multipart. */
export async function readBody(context: Context): Promise<{ body: Json; files: Upload[] }> {
  const type = context.req.header('content-type') ?? '';
  if (!type.startsWith('multipart/form-data')) {
    const text = await context.req.text();
    return { body: asToday(context, parse(text === '' ? '{}' : text)), files: [] };
  }
  const { fields, files } = await readFields(context);
  return { body: asToday(context, parse(fields['payload_json'] ?? '{}')), files };
}

/** Before version 10, a message might have one `embed` in place of `embeds`. */
function asToday({ req }: Context, body: Json): Json {
  // A body can be null, which its form refuses.
  if (!req.path.startsWith('/api/v9/') || body?.['embed'] === undefined) return body;
  const { embed, ...rest } = body;
  return { embeds: embed === null ? [] : [embed], ...rest };
}

/** The fields of a form with files, as a few routes have them without JSON. */
export async function readFields(
  context: Context,
): Promise<{ fields: Record<string, string>; files: Upload[] }> {
  const fields: Record<string, string> = {};
  const files: Upload[] = [];
  const form = await context.req.formData().catch(() => {
    throw refuse('invalidFile');
  });
  for (const [field, value] of form) {
    if (typeof value === 'string') {
      fields[field] = value;
      continue;
    }
    files.push({
      field,
      filename: value.name,
      contentType: value.type === '' ? 'application/octet-stream' : value.type,
      data: new Uint8Array(await value.arrayBuffer()),
    });
  }
  return { fields, files };
}

function parse(text: string): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    throw refuse('invalidJson');
  }
}

/** Matches `files[n]` with the description that `attachments` gives it. */
export function toAttachments(
  files: Upload[],
  described: readonly { id: string | number; description?: string | null | undefined }[],
  snowflake: () => Snowflake,
): Attachment[] {
  return files.map(({ field, ...file }) => {
    const index = /^files\[(\d+)\]$/.exec(field)?.[1];
    const entry = described.find((one) => String(one.id) === index);
    return { ...file, id: snowflake(), description: entry?.description ?? null };
  });
}
