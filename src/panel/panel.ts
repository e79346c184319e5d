import { board } from './board-section.ts';
import { checkUp } from './check-up-section.ts';
import { exportSection, importSection, restore } from './export-section.ts';
import { newsletter } from './newsletter-section.ts';
import { overview } from './overview-section.ts';
import { rebuild, recount } from './repair-section.ts';
import type { PanelNeeds, Section } from './section.ts';
import { settings } from './settings-section.ts';
import { setup } from './setup/setup-section.ts';
import { web } from './web-section.ts';

export type { PanelNeeds, Section };

/** What `/frontpage` shows, by its English names. */
export const sections: Readonly<Record<string, Section>> = {
  panel: overview,
  setup,
  settings,
  'check-up': checkUp,
  recount,
  rebuild,
  import: importSection,
  export: exportSection,
  restore,
  web,
  board,
  newsletter,
};
