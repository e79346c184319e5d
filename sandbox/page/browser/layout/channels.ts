import { channelLabel, DIRECT, FORUM } from '../parts/channel-label.ts';
import { html, nothing, type TemplateResult } from 'lit';
import { does } from '../acts.ts';
import { openForm, textField } from '../parts/modal.ts';
import { openChannel } from '../messages/room.ts';
import { type Channel, isThread, rankOf, redraw, nameOf, state } from '../state/state.ts';
import { faceOf } from '../parts/avatars.ts';
import { withEmoji } from '../parts/emoji.ts';
import { say } from '../state/words.ts';

const CATEGORY = 4;

export function channelsView(): TemplateResult {
  const plain = state.channels.filter((one) => !isThread(one) && one.type !== CATEGORY);
  const inside = (id: string | null): TemplateResult[] =>
    plain.filter((one) => one.type !== DIRECT && (one.parent_id ?? null) === id).flatMap(rows);
  const direct = plain.filter((one) => one.type === DIRECT);
  return html`<nav id="channels" aria-label=${say('channels')} class=${state.drawer === 'channels' ? 'open' : nothing}>
    <div class="guild">
      <h2 id="guild">${state.guild.name}</h2>
      <span id="bot" class="status ${state.botOnline ? 'online' : ''}" role="status"
        >${say(state.botOnline ? 'online' : 'offline')}</span
      >
    </div>
    <div class="scroll">
      ${inside(null)}
      ${state.channels
        .filter((one) => one.type === CATEGORY)
        .map((one) => html`<h3>${one.name}</h3> ${inside(one.id)}`)}
      ${direct.length > 0 ? html`<h3>${say('direct')}</h3>` : nothing} ${direct.map((one) => row(one))}
    </div>
    <div class="myself">
      <img src=${faceOf(state.me)} alt="" />
      <div>
        <strong>${nameOf(state.me)}</strong>
        <small>${say(rankOf(state.me))}</small>
      </div>
    </div>
  </nav>`;
}

function rows(channel: Channel): TemplateResult[] {
  // As in Discord: the posts of a forum, and the threads that one has joined.
  const threads = state.channels.filter(
    (one) =>
      isThread(one) &&
      one.parent_id === channel.id &&
      (channel.type === FORUM || one.member !== undefined || one.id === state.channelId),
  );
  return [row(channel), ...threads.map((thread) => row(thread, 'thread'))];
}

function row(channel: Channel, kind = ''): TemplateResult {
  const current = channel.id === state.channelId;
  const open = (): unknown => (channel.type === FORUM ? newPost(channel) : goTo(channel.id));
  return html`<button
    type="button"
    class="channel ${kind}"
    aria-current=${current ? 'page' : nothing}
    aria-label=${channelLabel(channel)}
    title=${channel.type === FORUM ? say('newPost') : nothing}
    @click=${open}
  >
    <span>${withEmoji(channelLabel(channel))}</span>
    ${channel.type === FORUM ? html`<span class="plus" aria-hidden="true">+</span>` : nothing}
  </button>`;
}

/** The address names the channel, so that a reload comes back to it. */
export function goTo(channel: string, message?: string): void {
  const hash = `#${channel}${message === undefined ? '' : `/${message}`}`;
  if (location.hash === hash) void openChannel(channel, message);
  else location.hash = hash;
}

function newPost(forum: Channel): void {
  const parts = [
    textField('name', say('postTitle'), { max: 100 }),
    textField('content', say('postText'), { long: true }),
  ];
  openForm(`${say('newPost')}: ${forum.name}`, parts, async ({ name, content }) => {
    const thread = await does<{ id: string }>('post', { channel: forum.id, name, content });
    if (thread !== undefined) goTo(thread.id);
    redraw();
  });
}
