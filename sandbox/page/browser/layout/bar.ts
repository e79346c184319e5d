import { html, nothing, type TemplateResult } from 'lit';
import { moment, nowMs } from '../clock.ts';
import { faceOf } from '../messages/message.ts';
import { withEmoji } from '../messages/emoji.ts';
import { actAs } from '../act-as.ts';
import { readAll } from '../state/session.ts';
import { actors, nameOf, rankOf, setLocale, state } from '../state/state.ts';
import { isChinese, say } from '../words.ts';

/** Who one is, in which language, and what time it is. */
export function barView(name: string): TemplateResult {
  return html`<header id="bar">
    <h1 class="brand"><img src="icon.svg" alt="" />${name} <em>sandbox</em></h1>
    <div class="actors" role="radiogroup" aria-label=${say('acting')}>
      <span class="label" aria-hidden="true">${say('acting')}</span>
      ${actors().map(({ user }) => actorView(user.id))}
    </div>
    <time class="clock" datetime=${new Date(nowMs()).toISOString()}
      >${moment(nowMs(), 'd')} <strong>${moment(nowMs(), 't')}</strong></time
    >
    <button type="button" id="language" lang=${isChinese() ? 'en' : 'zh-CN'} aria-label=${say('languageLabel')} @click=${speak}>
      ${say('language')}
    </button>
    <button type="button" id="theme" aria-label=${say('theme')} title=${say('theme')} @click=${turnTheme}>
      ◐
    </button>
  </header>`;
}

function actorView(id: string): TemplateResult {
  const mine = id === state.me;
  const rank = rankOf(id);
  const mark = { admin: '👑', moderator: '🛡️', member: '' }[rank];
  const label = rank === 'member' ? nameOf(id) : `${nameOf(id)} (${say(rank)})`;
  return html`<button
    type="button"
    role="radio"
    class="actor"
    aria-checked=${mine}
    aria-label=${label}
    title=${label}
    @click=${() => void actAs(id)}
  >
    <img src=${faceOf(id)} alt="" />
    ${mark === '' ? nothing : html`<span class="mark" aria-hidden="true">${withEmoji(mark)}</span>`}
    ${mine ? html`<span class="name">${nameOf(id)}</span>` : nothing}
  </button>`;
}

async function speak(): Promise<void> {
  setLocale(isChinese() ? 'en-US' : 'zh-CN');
  await readAll();
}

export function applyTheme(): void {
  const kept = localStorage.getItem('theme');
  if (kept !== null) document.documentElement.dataset['theme'] = kept;
}

function turnTheme(): void {
  const root = document.documentElement;
  const dark =
    root.dataset['theme'] === 'dark' ||
    (root.dataset['theme'] === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset['theme'] = dark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset['theme']);
}
