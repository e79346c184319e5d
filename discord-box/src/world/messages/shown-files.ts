import type { Attachment, Json } from '../../model/message.ts';

const SCHEME = 'attachment://';

type ShownFiles = {
  /** An embed or a component with the addresses of the files that it names. */
  place: (part: Json) => Json;
  /** The files that none of these parts shows. */
  apart: (parts: readonly Json[]) => Attachment[];
};

/**
 * Embeds and components that name one of the message's files get its address. Such a file is not
 * listed among the attachments (api-docs issue 8277).
 */
export function showFiles(
  { id: messageId, attachments }: { id: string; attachments: readonly Attachment[] },
  addressed: (file: Attachment) => Json,
): ShownFiles {
  const fileAt = (url: unknown): Attachment | undefined =>
    typeof url === 'string' && url.startsWith(SCHEME)
      ? attachments.find(({ filename }) => filename === url.slice(SCHEME.length))
      : undefined;
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isPart(value) ? place(value) : value;
  };

  /** What a component shows: Discord says of it what it found there. */
  const medium = (media: Json): Json => {
    const file = fileAt(media['url']);
    if (file === undefined) return { id: messageId, proxy_url: media['url'], ...media };
    const { id, url, proxy_url, content_type } = addressed(file);
    return { id, url, proxy_url, content_type, attachment_id: id };
  };
  const placeEntry = ([key, value]: [string, unknown]): [string, unknown] => {
    if ((key === 'media' || key === 'file') && isPart(value)) return [key, medium(value)];
    const file = fileAt(value);
    return [key, file === undefined ? inside(value) : addressed(file)['url']];
  };
  const place = (part: Json): Json => {
    const placed: Json = Object.fromEntries(Object.entries(part).map(placeEntry));
    const picture = fileAt(part['url']);
    if (picture !== undefined) placed['proxy_url'] = placed['url'];
    const file = isPart(part['file']) ? fileAt(part['file']['url']) : undefined;
    if (file === undefined) return placed;
    return { ...placed, name: file.filename, size: file.data.byteLength };
  };

  return {
    place,
    apart: (parts) => {
      const named = new Set(filesNamed(parts).map(({ filename }) => filename));
      return attachments.filter(({ filename }) => !named.has(filename));
    },
  };
}

/** The files that parts of a message name, with where they do. */
export function filesNamed(parts: unknown): { filename: string; path: string[] }[] {
  if (typeof parts === 'string') {
    return parts.startsWith(SCHEME) ? [{ filename: parts.slice(SCHEME.length), path: [] }] : [];
  }
  if (!isPart(parts) && !Array.isArray(parts)) return [];
  return Object.entries(parts).flatMap(([key, value]) =>
    filesNamed(value).map(({ filename, path }) => ({ filename, path: [key, ...path] })),
  );
}

function isPart(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
