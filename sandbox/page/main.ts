import './look.ts';
import { html, render } from 'lit';
import { applyTheme, barView } from './bar.ts';
import { channelsView } from './channels.ts';
import { readClock } from './clock.ts';
import { composerView } from './composer.ts';
import { attempt } from './acts.ts';
import { readRequests } from './inspect.ts';
import { follow, roomView } from './room.ts';
import { openWhatIsNamed, readCommunity, showActor } from './session.ts';
import { drawWith, redraw, state } from './state.ts';
import { listen } from './stream.ts';
import { sideView } from './side.ts';
import { readTour } from './tour.ts';
import { readTrouble } from './trouble.ts';
import { toastsView } from './toasts.ts';
import { isChinese } from './words.ts';

const page = document.querySelector<HTMLElement>('#page');

drawWith(() => {
  if (page === null) return;
  document.documentElement.lang = isChinese() ? 'zh-CN' : 'en';
  render(
    html`${barView()} ${channelsView()}
      <main>${roomView()} ${composerView()}</main>
      ${sideView()}
      ${
        state.drawer === ''
          ? ''
          : html`<div
            class="shade"
            @click=${() => {
              state.drawer = '';
              redraw();
            }}
          ></div>`
      }
      ${toastsView()}`,
    page,
  );
  follow();
});

applyTheme();
window.addEventListener('hashchange', () => void openWhatIsNamed());
await attempt(readCommunity);
await attempt(() => Promise.all([readClock(), readTour(), readTrouble(), readRequests()]));
listen();
setTimeout(showActor, 100);
// Times relative to now grow old.
setInterval(redraw, 10_000);
