/** What the page knows. Everything is read again when one acts as someone else. */
export const state = {
  me: null,
  guild: null,
  /** Members and the bot by id. */
  people: new Map(),
  channels: [],
  channelId: null,
  messages: new Map(),
  commands: [],
};

export function nameOf(userId) {
  const person = state.people.get(userId);
  return person === undefined
    ? 'Unknown'
    : (person.nick ?? person.user.global_name ?? person.user.username);
}

export function channelName(id) {
  return state.channels.find((channel) => channel.id === id)?.name ?? 'unknown';
}

export function roleName(id) {
  return state.guild?.roles.find((role) => role.id === id)?.name ?? 'unknown';
}

export function localeOf(userId) {
  return state.people.get(userId)?.locale ?? 'en-US';
}
