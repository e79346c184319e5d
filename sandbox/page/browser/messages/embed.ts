import type { APIEmbed, APIEmbedField, APIEmbedImage } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { withEmoji } from '../parts/emoji.ts';
import { inline, link, markdown } from './markdown.ts';
import type { Message } from '../state/state.ts';

/** Pictures are shown only from this address: an embed may not make the browser ask another host. */
function ownPicture(url: string | undefined, message: Message): string | undefined {
  if (url === undefined) return undefined;
  const name = /^attachment:\/\/(.+)$/.exec(url)?.[1];
  const found =
    name === undefined ? url : message.attachments.find((one) => one.filename === name)?.url;
  if (found === undefined || !URL.canParse(found, location.href)) return undefined;
  const { origin, pathname } = new URL(found, location.href);
  if (pathname.startsWith('/attachments/')) return pathname;
  return origin === location.origin && pathname.startsWith('/external/') ? pathname : undefined;
}

/** An embed of the message's author, or Discord's preview of a link. */
export function embedView(embed: APIEmbed, message: Message): TemplateResult {
  const { title, url = '', color, provider, description, footer, fields = [] } = embed;
  const colour = color === undefined ? 'var(--line)' : `#${color.toString(16).padStart(6, '0')}`;
  const picture = pictureOf(embed.image, message);
  const thumbnail = pictureOf(embed.thumbnail, message);
  const isLarge = (embed.type as string) === 'article';
  return html`<article slot="embeds" class="embed" style="--embed-colour:${colour}">
    ${provider?.name ? html`<div class="embed-author">${withEmoji(provider.name)}</div>` : nothing}
    ${
      title === undefined || title === ''
        ? nothing
        : html`<div class="embed-title">
          ${/^https?:\/\//.test(url) ? link(url, inline(title, 'embed')) : inline(title, 'embed')}
        </div>`
    }
    ${description ? html`<div class="embed-text lines">${markdown(description, 'embed')}</div>` : nothing}
    ${fields.length > 0 ? html`<div class="embed-fields">${fields.map(fieldView)}</div>` : nothing}
    ${thumbnail !== undefined && !isLarge ? html`<img class="embed-thumbnail" src=${thumbnail} alt="" />` : nothing}
    ${isLarge && thumbnail !== undefined ? html`<img class="embed-picture" src=${thumbnail} alt="" />` : nothing}
    ${picture === undefined ? nothing : html`<img class="embed-picture" src=${picture} alt="" />`}
    ${footer === undefined ? nothing : html`<div class="embed-note">${withEmoji(footer.text)}</div>`}
  </article>`;
}

function pictureOf(picture: APIEmbedImage | undefined, message: Message): string | undefined {
  return ownPicture(picture?.proxy_url ?? picture?.url, message);
}

function fieldView({ name, value, inline: isInline }: APIEmbedField): TemplateResult {
  return html`<div class="embed-field ${isInline === true ? 'inline' : ''}">
    <strong>${inline(name, 'embed')}</strong>
    <div class="lines">${markdown(value, 'embed')}</div>
  </div>`;
}
