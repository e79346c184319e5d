import { type Key, translate, type Values } from '../text/catalogue.ts';

/** A refusal. Only that member sees it, in the member's language. It is never logged as a fault. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly key: Key;
  readonly values: Values | undefined;

  constructor(key: Key, values?: Values) {
    super(key);
    this.key = key;
    this.values = values;
  }

  inLanguageOf(locale: string): string {
    return translate(locale, this.key, this.values);
  }
}
