import './parts/avatars.ts';
import '@skyra/discord-components-core/discord-messages.js';
import '@skyra/discord-components-core/discord-message.js';
import '@skyra/discord-components-core/discord-reactions.js';
import '@skyra/discord-components-core/discord-reaction.js';
import '@skyra/discord-components-core/discord-attachments.js';
import '@skyra/discord-components-core/discord-action-row.js';
import '@skyra/discord-components-core/discord-button.js';
import '@skyra/discord-components-core/discord-reply.js';
import '@skyra/discord-components-core/discord-mention.js';
import '@skyra/discord-components-core/discord-time.js';
import '@skyra/discord-components-core/discord-code.js';
import '@skyra/discord-components-core/discord-pre.js';
import '@skyra/discord-components-core/discord-quote.js';
import '@skyra/discord-components-core/discord-spoiler.js';
import '@skyra/discord-components-core/discord-header.js';
import { type CSSResult, css, type LitElement } from 'lit';

/** The components bring fixed colours; these follow the page's variables, so dark and light are one. */
const sheets: Record<string, CSSResult> = {
  'discord-messages': css`
    :host {
      border: 0;
      color: var(--text);
      font-family: var(--font);
    }
  `,
  'discord-message': css`
    :host {
      box-sizing: border-box;
      color: var(--text);
      font-family: var(--font);
      padding-left: 16px;
      padding-right: 16px;
    }
    :host(:hover),
    :host(:focus-within) {
      background-color: var(--hover);
    }
    .discord-message-timestamp {
      color: var(--quiet) !important;
    }
    .discord-message-content {
      min-width: 0;
    }
    /* Under the first of several messages, the others stand in line with it. */
    .discord-message-body-only-indent {
      flex: none;
    }
    .discord-author-avatar img {
      cursor: default;
    }
  `,
  'discord-author-info': css`
    :host .discord-author-username {
      color: var(--strong);
    }
  `,
  'discord-reaction': css`
    :host > *:first-child {
      background-color: var(--chip);
      font-size: 15px;
    }
    :host > *:first-child:hover {
      background-color: var(--chip-hover);
      border-color: var(--line);
    }
    :host .discord-reaction-count {
      color: var(--text);
    }
    :host([reacted]) > *:first-child {
      background-color: var(--own);
      border-color: var(--accent);
    }
    :host([reacted]) .discord-reaction-count {
      color: var(--own-text);
    }
  `,
  'discord-button': css`
    .secondary {
      background-color: var(--button);
      color: var(--strong);
    }
    .secondary.hoverable:hover {
      background-color: var(--chip-hover);
    }
    .disabled {
      background-color: var(--chip) !important;
      color: var(--quiet) !important;
      opacity: 1 !important;
    }
    .success {
      background-color: #23804a;
    }
    .destructive {
      background-color: #c93236;
    }
    :host > *:first-child:focus-visible {
      outline: 2px solid var(--focus);
      outline-offset: 2px;
    }
  `,
  'discord-mention': css`
    :host {
      background-color: var(--mention);
      color: var(--mention-text);
    }
    .discord-mention-icon {
      width: 1em;
      height: 1em;
      margin-right: 2px;
    }
  `,
  'discord-reply': css`
    :host {
      color: var(--quiet);
      font-family: var(--font);
    }
    .discord-replied-message-content {
      min-width: 0;
      overflow: hidden;
    }
    :host .discord-replied-message-username {
      color: var(--strong) !important;
    }
    :host:before {
      border-color: var(--line) !important;
    }
  `,
  'discord-time': css`
    :host {
      background-color: var(--chip);
      white-space: normal;
    }
  `,
  'discord-code': css`
    code {
      background: var(--chip) !important;
      color: var(--text) !important;
    }
  `,
  'discord-header': css`
    * {
      color: var(--strong) !important;
    }
  `,
};

for (const [tag, sheet] of Object.entries(sheets)) {
  const component = customElements.get(tag) as unknown as typeof LitElement | undefined;
  component?.elementStyles.push(sheet);
}
