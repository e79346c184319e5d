import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { sentAt } from '../clock.ts';
import { markdown } from './markdown.ts';
import type { Message } from '../state/state.ts';

/** Pictures are shown only from this address: an embed may not make the browser ask another host. */
export function ownPicture(url: string | undefined, message: Message): string | undefined {
  if (url === undefined) return undefined;
  const name = /^attachment:\/\/(.+)$/.exec(url)?.[1];
  const found =
    name === undefined ? url : message.attachments.find((one) => one.filename === name)?.url;
  if (found === undefined || !URL.canParse(found, location.href)) return undefined;
  const { pathname } = new URL(found, location.href);
  return pathname.startsWith('/attachments/') ? pathname : undefined;
}

export function embedView(embed: APIEmbed, message: Message): TemplateResult {
  const fields = embed.fields ?? [];
  const colour =
    embed.color === undefined ? undefined : `#${embed.color.toString(16).padStart(6, '0')}`;
  const when = embed.timestamp === undefined ? '' : sentAt(Date.parse(embed.timestamp));
  const note = [embed.footer?.text, when].filter(Boolean).join(' • ');
  return html`<discord-embed
    slot="embeds"
    .color=${colour}
    .authorName=${embed.author?.name ?? ''}
    .embedTitle=${embed.title ?? ''}
    .url=${/^https?:\/\//.test(embed.url ?? '') ? embed.url : undefined}
    .image=${ownPicture(embed.image?.url, message)}
    .thumbnail=${ownPicture(embed.thumbnail?.url, message)}
  >
    ${
      embed.description
        ? html`<discord-embed-description slot="description" class="lines"
          >${markdown(embed.description)}</discord-embed-description
        >`
        : nothing
    }
    ${
      fields.length > 0
        ? html`<discord-embed-fields slot="fields"
          >${fields.map((field, at) => fieldView(field, inlineIndex(fields, at)))}</discord-embed-fields
        >`
        : nothing
    }
    ${note === '' ? nothing : html`<discord-embed-footer slot="footer">${note}</discord-embed-footer>`}
  </discord-embed>`;
}

function fieldView(field: APIEmbedField, index: number | undefined): TemplateResult {
  return html`<discord-embed-field
    class="lines"
    .fieldTitle=${field.name}
    ?inline=${field.inline === true}
    inline-index=${index ?? nothing}
    >${markdown(field.value)}</discord-embed-field
  >`;
}

/** Which of three columns an inline field stands in. */
function inlineIndex(fields: APIEmbedField[], at: number): number | undefined {
  if (fields[at]?.inline !== true) return undefined;
  let index = 1;
  for (let before = at - 1; fields[before]?.inline === true; before -= 1) index += 1;
  return ((index - 1) % 3) + 1;
}
