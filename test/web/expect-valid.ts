import { HtmlValidate } from 'html-validate/node';
import { expect } from 'vitest';

const html = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: {
    // Styles of writing HTML, which are not its rules.
    'void-style': 'off',
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    'no-raw-characters': 'off',
    'tel-non-breaking': 'off',
  },
});

/** The page is HTML as its standard has it. */
export async function expectValid(page: string): Promise<void> {
  const { results } = await html.validateString(page);
  const faults = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line}: ${ruleId}: ${message}`),
  );
  expect(faults).toEqual([]);
}
