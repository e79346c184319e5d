import './look.ts';
import { html, render } from 'lit';
import { applyTheme, barView } from './layout/bar.ts';
import { channelsView } from './layout/channels.ts';
import { readClock } from './clock.ts';
import { composerView } from './compose/composer.ts';
import { attempt } from './acts.ts';
import { readRequests } from '../../tour/panel/inspect.ts';
import { follow, roomView } from './messages/room.ts';
import { showActor } from './act-as.ts';
import { openWhatIsNamed, readCommunity } from './state/session.ts';
import { drawWith, redraw, state } from './state/state.ts';
import { listen } from './state/stream.ts';
import { sideView } from '../../tour/panel/side.ts';
import { readTour } from '../../tour/panel/steps-view.ts';
import { readTrouble } from '../../tour/panel/trouble-switches.ts';
import { toastsView } from './layout/toasts.ts';
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
