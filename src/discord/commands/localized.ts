import type { LocalizationMap } from 'discord.js';
import { fallbackLocale, type Key, languages, translate } from '../../text/catalogue.ts';

type Named = { [K in Key]: K extends `${infer Name}.description` ? Name : never }[Key];

type Words = {
  name: string;
  name_localizations: LocalizationMap;
  description: string;
  description_localizations: LocalizationMap;
};

/** The name and description of a command or option in every language, for its deployment. */
export function words(named: Named): Words {
  const name = inEveryLanguage(`${named}.name` as Key);
  const description = inEveryLanguage(`${named}.description` as Key);
  return {
    name: name.own,
    name_localizations: name.others,
    description: description.own,
    description_localizations: description.others,
  };
}

/** Only the name: message commands have no description. */
export function localizedName(key: Key): Pick<Words, 'name' | 'name_localizations'> {
  const { own, others } = inEveryLanguage(key);
  return { name: own, name_localizations: others };
}

/** A choice by words in every language, whose value stays what other programs rely on. */
export function choice(value: string, key: Key) {
  return { ...localizedName(key), value };
}

function inEveryLanguage(key: Key): { own: string; others: LocalizationMap } {
  const others: Record<string, string | null> = {};
  for (const [locale, messages] of languages) {
    if (locale !== fallbackLocale) others[locale] = messages[key] ?? null;
  }
  return { own: translate(fallbackLocale, key), others };
}
