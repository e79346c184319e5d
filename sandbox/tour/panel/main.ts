import { startPage } from '../../page/browser/page.ts';
import type { Panel } from '../../page/browser/panel.ts';
import { either } from '../../page/browser/state/words.ts';
import { readRequests } from './inspect.ts';
import { sideView } from './side.ts';
import './side.css';
import { readTour } from './steps-view.ts';
import { readTrouble } from './trouble-switches.ts';

const panel: Panel = {
  label: () => either(['The tour and the controls', '导览和控制']),
  button: () => either(['🧭 Tour', '🧭 导览']),
  view: sideView,
  read: () => Promise.all([readTour(), readTrouble(), readRequests()]),
};

await startPage({ name: 'Frontpage', botAvatar: 'icon.svg', panel });
