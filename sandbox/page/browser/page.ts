import './look.ts';
import './static/style.css';
import { html, render } from 'lit';
import { attempt, attemptUnasked } from './acts.ts';
import { readClock } from './state/clock.ts';
import { composerView, focusComposer } from './compose/composer.ts';
import { setBotAvatar } from './parts/avatars.ts';
import { applyTheme, barView } from './layout/bar.ts';
import { channelsView } from './layout/channels.ts';
import { roomView } from './messages/room.ts';
import { keepEnd } from './messages/scroll.ts';
import type { Panel } from './panel.ts';
import { openWhatIsNamed, readCommunity } from './session.ts';
import { drawWith, redraw, state } from './state/state.ts';
import { hear, listen } from './stream.ts';
import { language, say } from './state/words.ts';

type Page = {
  /** On top of the page and in the window's tab. */
  name: string;
  /** The address of the bot's picture. */
  botAvatar: string;
  panel: Panel;
};

/** Shows Discord as its members see it, with a panel of the caller's beside it. */
export async function startPage({ name, botAvatar, panel }: Page): Promise<void> {
  const place = document.querySelector<HTMLElement>('#page');
  document.title = name;
  setBotAvatar(botAvatar);
  drawWith(() => {
    if (place === null) return;
    document.documentElement.lang = language();
    render(
      html`<a class="skip" href="#text" @click=${skipToComposer}>${say('skip')}</a>
        ${barView(name)} ${channelsView()}
        <main>${roomView(panel)} ${composerView()}</main>
        <aside
          id="side"
          class=${state.drawer === 'side' ? 'open' : ''}
          aria-label=${panel.label()}
        >
          ${panel.view()}
        </aside>
        ${state.drawer === '' ? '' : html`<div class="shade" @click=${closeDrawer}></div>`}`,
      place,
    );
    keepEnd();
  });

  applyTheme();
  window.addEventListener('hashchange', () => void openWhatIsNamed());
  // A second click on a link to a message changes no address.
  window.addEventListener('click', (event) => {
    const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
    if (link?.hash !== '' && link?.href === location.href) void openWhatIsNamed();
  });
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && state.drawer !== '') closeDrawer();
    // A slash moves the focus to the composer.
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isWriting(event.target)) return;
    event.preventDefault();
    focusComposer('/');
  });
  await attempt(readCommunity);
  // Whatever happened before the stream was there, or while it was lost, is read.
  hear('hello', () => void attemptUnasked(() => Promise.all([readClock(), panel.read()])));
  listen();
  // Relative times change.
  setInterval(redraw, 10_000);
}

function skipToComposer(event: Event): void {
  event.preventDefault();
  focusComposer();
}

function closeDrawer(): void {
  state.drawer = '';
  redraw();
}

function isWriting(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
  );
}
