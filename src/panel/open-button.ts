import { button } from '../discord/interactions/components.ts';
import { translate } from '../text/catalogue.ts';

type Opened = 'setup' | 'board' | 'newsletter' | 'import' | 'recount' | 'rebuild' | 'export';

/** The button of a section that stands behind one of the panel's doors. */
export function openButton(locale: string, section: Opened, style?: 'main') {
  return button(
    `frontpage|${section}|open`,
    translate(locale, `frontpage.button.${section}`),
    style,
  );
}
