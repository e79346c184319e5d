import type { SettingName } from '../community/settings.ts';

/** The screens of settings, by purpose: what is posted, who may do what, and what is rarely changed. */
export const SCREENS = ['posts', 'who', 'more'] as const;
export type Screen = (typeof SCREENS)[number];

/** What is chosen as one: the number of a ★ with the weight of votes, and the channels with or without articles. */
export type Joint = 'ranking' | 'channels';
export type Offer = SettingName | Joint;

/** Where each setting is found, and as part of what. */
const placeOf: Readonly<Record<SettingName, { screen: Screen; joint?: Joint }>> = {
  discussion: { screen: 'posts' },
  'link-channels': { screen: 'posts' },
  'nomination-channels': { screen: 'posts' },
  nominations: { screen: 'posts' },
  announcements: { screen: 'posts' },
  'post-roles': { screen: 'who' },
  'vote-roles': { screen: 'who' },
  'account-days': { screen: 'who' },
  'member-days': { screen: 'who' },
  'posts-per-hour': { screen: 'who' },
  everybody: { screen: 'who' },
  'age-restricted': { screen: 'who' },
  mark: { screen: 'more', joint: 'ranking' },
  span: { screen: 'more', joint: 'ranking' },
  groups: { screen: 'more', joint: 'channels' },
  'no-groups': { screen: 'more', joint: 'channels' },
  votes: { screen: 'more' },
  'votes-otherwise': { screen: 'more' },
  'up-emoji': { screen: 'more' },
  'down-emoji': { screen: 'more' },
  'repost-days': { screen: 'more' },
  language: { screen: 'more' },
  log: { screen: 'more' },
};

/** What a screen offers, each once. */
export function offersOf(screen: Screen): Offer[] {
  const names = (Object.keys(placeOf) as SettingName[]).filter(
    (name) => placeOf[name].screen === screen,
  );
  return [...new Set(names.map(offerOf))];
}

/** The choice that a setting is, or is part of. */
export function offerOf(name: SettingName): Offer {
  return placeOf[name].joint ?? name;
}

export function screenOf(offer: Offer): Screen {
  if (offer === 'ranking' || offer === 'channels') return 'more';
  return placeOf[offer].screen;
}

/** Undefined: a custom id names nothing that is offered. */
export function offerNamed(text: string | undefined): Offer | undefined {
  return SCREENS.flatMap(offersOf).find((offer) => offer === text);
}
