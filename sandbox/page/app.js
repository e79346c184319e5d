import { get, h, post } from './api.js';
import { choosable, openCommandForm, readCommands } from './command-form.js';
import { setNow } from './markdown.js';
import { renderMessage } from './message.js';
import { openModal } from './modal.js';
import { nameOf, state } from './state.js';

const $ = (id) => document.getElementById(id);
const TEXT_CHANNELS = [0, 1, 5, 10, 11, 12];
const unread = new Set();
let stream;

/** Does something as the member; what is refused is said, not thrown. */
async function act(what) {
  $('refusal').textContent = '';
  try {
    return await what();
  } catch (error) {
    $('refusal').textContent = error.message;
    return undefined;
  }
}

/** Waits for the bot's answer and shows what cannot be seen in the channel. */
async function ask(verb, body) {
  $('thinking').textContent = 'Waiting for the bot…';
  const answer = await act(() => post(`as/${state.me}/${verb}`, body));
  $('thinking').textContent = '';
  if (answer?.kind === 'failed') $('refusal').textContent = 'The application did not respond.';
  if (answer?.kind === 'modal') {
    openModal($('modal'), answer.modal, (fields) =>
      ask('submit', { interaction: answer.interactionId, fields }),
    );
  }
  return answer;
}

const at = (message) => ({ channel: message.channel_id, message: message.id });
const does = (verb, body) => act(() => post(`as/${state.me}/${verb}`, body));
const acts = {
  react: (message, emoji, burst) => does('react', { ...at(message), emoji, burst }),
  toggle: (message, emoji, burst, mine) =>
    does(mine ? 'unreact' : 'react', { ...at(message), emoji, burst }),
  delete: (message) => does('delete', at(message)),
  dismiss: (message) => does('dismiss', at(message)),
  startThread: (message) => {
    const name = prompt('Name of the thread');
    if (name) void does('start-thread', { channel: message.channel_id, from: message.id, name });
  },
  press: (message, customId) => ask('press', { ...at(message), customId }),
  choose: (message, customId, values) => ask('choose', { ...at(message), customId, values }),
  messageCommand: (message, name) => ask('message-command', { ...at(message), name }),
};

function showMessages() {
  const list = $('messages');
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const ordered = [...state.messages.values()].sort((a, b) =>
    BigInt(a.id) < BigInt(b.id) ? -1 : 1,
  );
  list.replaceChildren(...ordered.map((message) => renderMessage(message, acts)));
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function showMessage(message) {
  const known = $(`message-${message.id}`);
  state.messages.set(message.id, message);
  // Replaced in its place, so that the rest keeps its focus; a new one may need another place.
  if (known === null) showMessages();
  else known.replaceWith(renderMessage(message, acts));
}

function threadsOf(id) {
  return state.channels.filter((one) => one.parent_id === id && one.thread_metadata);
}

function showChannels() {
  const button = (channel, className = '') =>
    h(
      'button',
      {
        type: 'button',
        class: `${className} ${unread.has(channel.id) ? 'unread' : ''}`,
        'aria-current': channel.id === state.channelId ? 'true' : undefined,
        onclick: () => openChannel(channel.id),
      },
      labelOf(channel),
    );
  const rows = (channel) => [
    channel.type === 15
      ? h('button', { type: 'button', onclick: () => newPost(channel) }, labelOf(channel))
      : button(channel),
    ...threadsOf(channel.id).map((thread) => button(thread, 'thread')),
  ];
  const plain = state.channels.filter((one) => !one.thread_metadata && one.type !== 4);
  const inside = (id) =>
    plain.filter((one) => (one.parent_id ?? null) === id && one.type !== 1).flatMap(rows);
  $('channels').replaceChildren(
    ...inside(null),
    ...state.channels
      .filter((one) => one.type === 4)
      .flatMap((one) => [h('h3', {}, one.name), ...inside(one.id)]),
    h('h3', {}, 'Direct messages'),
    ...plain.filter((one) => one.type === 1).map((one) => button(one)),
  );
  const channel = state.channels.find((one) => one.id === state.channelId);
  $('channel').replaceChildren(
    ...(channel ? [labelOf(channel), h('small', {}, channel.topic ?? '')] : []),
  );
}

function labelOf(channel) {
  if (channel.type === 1) return '@ Frontpage';
  const mark = channel.thread_metadata ? '↳ ' : channel.type === 15 ? '💬 ' : '# ';
  const archived = channel.thread_metadata?.archived ? ' (archived)' : '';
  return `${mark}${channel.name}${channel.nsfw ? ' 🔞' : ''}${archived}`;
}

async function newPost(forum) {
  const name = prompt(`New post in ${forum.name}: its title`);
  const content = name ? prompt('What to write') : null;
  if (!content) return;
  const thread = await does('post', { channel: forum.id, name, content });
  if (thread) await openChannel(thread.id);
}

async function openChannel(id, messageId) {
  state.channelId = id;
  unread.delete(id);
  closeCommand();
  await act(async () => {
    const messages = await get(`as/${state.me}/messages?channel=${id}`);
    if (state.channelId !== id) return;
    state.messages = new Map(messages.map((message) => [message.id, message]));
    await readCommands();
    showChannels();
    showMessages();
    const target = messageId === undefined ? null : $(`message-${messageId}`);
    if (target === null) $('messages').scrollTop = $('messages').scrollHeight;
    else {
      target.classList.add('target');
      target.scrollIntoView({ block: 'center' });
    }
  });
}

async function readChannels() {
  state.channels = await get(`as/${state.me}/channels`);
  const readable = state.channels.filter((channel) => TEXT_CHANNELS.includes(channel.type));
  if (readable.some((channel) => channel.id === state.channelId)) showChannels();
  else if (readable[0] !== undefined) await openChannel(readable[0].id);
}

/** What an actor is, behind the name. */
function kind(id) {
  if (id === state.guild.ownerId) return ' (admin)';
  const roles = state.guild.roles.filter((role) => state.people.get(id).roles.includes(role.id));
  return roles.some((role) => role.name === 'Moderators') ? ' (moderator)' : '';
}

async function readCommunity() {
  const { bot, guilds } = await get('community');
  state.guild = guilds[0];
  state.people = new Map(
    guilds.flatMap((guild) => guild.members).map((member) => [member.user.id, member]),
  );
  $('guild').textContent = state.guild.name;
  showBot(bot.online);
  const people = [...state.people.values()].filter((member) => !member.user.bot);
  $('actor').replaceChildren(
    ...people.map(({ user }) =>
      h('option', { value: user.id }, `${nameOf(user.id)}${kind(user.id)}`),
    ),
  );
  state.me ??= sessionStorage.getItem('me');
  if (!state.people.has(state.me)) state.me = people[0].user.id;
  $('actor').value = state.me;
}

function showBot(online) {
  $('bot').textContent = online ? 'Bot online' : 'Bot offline';
  $('bot').className = online ? 'status online' : 'status';
}

function listen() {
  stream?.close();
  stream = new EventSource(`/sandbox/as/${state.me}/events`);
  const on = (event, handle) =>
    stream.addEventListener(event, ({ data }) => handle(JSON.parse(data)));
  // After a lost stream, too: whatever was missed is read again.
  on('hello', async () => {
    await post(`as/${state.me}/direct-messages`, {});
    await readCommunity();
    await readChannels();
    if (state.channelId) await openChannel(state.channelId);
  });
  on('message', (message) => {
    if (message.channel_id === state.channelId) showMessage(message);
    else if (!unread.has(message.channel_id) && !message.edited_timestamp && !message.reactions) {
      unread.add(message.channel_id);
      showChannels();
    }
  });
  on('deleted', ({ channel_id: channelId, ids }) => {
    if (channelId !== state.channelId) return;
    for (const id of ids) state.messages.delete(id);
    showMessages();
  });
  on('channels', () =>
    act(async () => {
      await readCommunity();
      await readChannels();
    }),
  );
  on('commands', () => act(readCommands));
  on('bot', ({ online }) => showBot(online));
  stream.addEventListener('error', () => showBot(false));
}

function closeCommand() {
  $('command').hidden = true;
  $('commands').hidden = true;
  $('composer').hidden = false;
}

function chooseCommand(command) {
  $('commands').hidden = true;
  $('composer').hidden = true;
  $('text').value = '';
  openCommandForm(
    $('command'),
    command,
    async (words, values) => {
      const answer = await ask('command', { channel: state.channelId, words, values });
      if (answer !== undefined) closeCommand();
    },
    closeCommand,
  );
}

function suggestCommands() {
  const typed = $('text').value;
  const wanted = typed.slice(1).toLowerCase();
  const found = typed.startsWith('/')
    ? choosable().filter((one) => one.words.startsWith(wanted) || one.label.startsWith(wanted))
    : [];
  $('commands').replaceChildren(
    ...found.map((one) =>
      h(
        'button',
        { type: 'button', role: 'option', onclick: () => chooseCommand(one) },
        `/${one.label}`,
        h('small', {}, one.description),
      ),
    ),
  );
  $('commands').hidden = found.length === 0;
  return found;
}

$('text').addEventListener('input', suggestCommands);
$('composer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const content = $('text').value;
  const [command] = suggestCommands();
  if (command !== undefined) return chooseCommand(command);
  const sent = await does('send', { channel: state.channelId, content });
  if (sent !== undefined) $('text').value = '';
});
$('actor').addEventListener('change', async () => {
  state.me = $('actor').value;
  sessionStorage.setItem('me', state.me);
  closeCommand();
  listen();
});
window.addEventListener('hashchange', () => {
  const [channel, message] = location.hash.slice(1).split('/');
  if (channel) void openChannel(channel, message);
});
for (const button of document.querySelectorAll('[data-add-ms]')) {
  button.addEventListener('click', () =>
    act(async () => {
      await post('clock', { addMs: Number(button.dataset.addMs) });
      await readClock();
    }),
  );
}

async function readClock() {
  const { nowMs } = await get('clock');
  const readMs = performance.now();
  setNow(() => nowMs + performance.now() - readMs);
  $('clock').textContent = new Date(nowMs).toLocaleString();
}
setInterval(() => act(readClock), 15_000);

await readCommunity();
await readClock();
listen();
