import { startPage } from '../../page/browser/page.ts';
import type { Panel } from '../../page/browser/panel.ts';
import { readRequests } from './inspect.ts';
import { sideView } from './side.ts';
import './side.css';
import { readTour } from './steps-view.ts';
import { sayTour } from './words/say-tour.ts';
import { readTrouble } from './trouble-switches.ts';

const panel: Panel = {
  label: () => sayTour('label'),
  button: () => sayTour('button'),
  view: sideView,
  read: () => Promise.all([readTour(), readTrouble(), readRequests()]),
};

await startPage({ name: 'Frontpage', botAvatar: 'icon.svg', panel });
