import { html, nothing, type TemplateResult } from 'lit';
import { moment, nowMs } from '../state/clock.ts';
import { faceOf } from '../parts/avatars.ts';
import { withEmoji } from '../parts/emoji.ts';
import { icon } from '../parts/icon.ts';
import { actAs } from '../act-as.ts';
import { openMenu } from '../parts/menu.ts';
import { readAll } from '../session.ts';
import { actors, nameOf, rankOf, setLocale, state } from '../state/state.ts';
import { LANGUAGES, type Language, language, say } from '../state/words.ts';

/** The acting member, the clock, and the choice of the language and the theme. */
export function barView(name: string): TemplateResult {
  return html`<header id="bar">
    <h1 class="brand"><img src="icon.svg" alt="" />${name} <em>${say('sandbox')}</em></h1>
    <div class="actors" role="radiogroup" aria-label=${say('acting')}>
      <span class="label" aria-hidden="true">${say('acting')}</span>
      ${actors().map(({ user }) => actorView(user.id))}
    </div>
    <time class="clock" datetime=${new Date(nowMs()).toISOString()}
      >${moment(nowMs(), 'd')} <strong>${moment(nowMs(), 't')}</strong></time
    >
    <select id="language" aria-label=${say('language')} @change=${speak}>
      ${Object.entries(LANGUAGES).map(
        ([code, name]) =>
          html`<option value=${code} lang=${code} ?selected=${code === language()}>${name}</option>`,
      )}
    </select>
    <button type="button" id="theme" aria-label=${say('theme')} title=${say('theme')} @click=${turnTheme}>
      ${icon('theme')}
    </button>
  </header>`;
}

function actorView(id: string): TemplateResult {
  const mine = id === state.me;
  const mark = markOf(id);
  const label = labelOf(id);
  return html`<button
    type="button"
    role="radio"
    class="actor"
    aria-checked=${mine}
    aria-label=${label}
    title=${label}
    @click=${(event: MouseEvent) => (mine ? openOthers(event) : void actAs(id))}
  >
    <img src=${faceOf(id)} alt="" />
    ${mark === '' ? nothing : html`<span class="mark" aria-hidden="true">${withEmoji(mark)}</span>`}
    ${mine ? html`<span class="name">${nameOf(id)}</span>${icon('unfold')}` : nothing}
  </button>`;
}

/** Opens a menu of the other members, since a narrow window shows only the acting one. */
function openOthers(event: MouseEvent): void {
  const others = actors().filter(({ user }) => user.id !== state.me);
  openMenu(
    event,
    others.map(({ user }) => ({
      label: `${labelOf(user.id)} ${markOf(user.id)}`.trim(),
      under: say('acting'),
      run: () => actAs(user.id),
    })),
  );
}

function labelOf(id: string): string {
  const rank = rankOf(id);
  return rank === 'member' ? nameOf(id) : `${nameOf(id)} (${say(rank)})`;
}

function markOf(id: string): string {
  return { admin: '👑', moderator: '🛡️', member: '' }[rankOf(id)];
}

async function speak(event: Event): Promise<void> {
  setLocale((event.target as HTMLSelectElement).value as Language);
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
