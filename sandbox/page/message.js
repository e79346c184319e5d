import { h } from './api.js';
import { link, markdown } from './markdown.js';
import { nameOf, state } from './state.js';

const EPHEMERAL = 64;
const LOADING = 128;

/** One message as its reader sees it. `acts` are what can be done with it. */
export function renderMessage(message, acts) {
  const ephemeral = (message.flags & EPHEMERAL) !== 0;
  const loading = (message.flags & LOADING) !== 0;
  const command = message.interaction_metadata?.name;
  return h(
    'li',
    { id: `message-${message.id}`, class: ephemeral ? 'ephemeral' : '' },
    command === undefined
      ? null
      : h(
          'div',
          { class: 'note' },
          `${nameOf(message.interaction_metadata.user.id)} used /${command}`,
        ),
    h('span', { class: 'author' }, nameOf(message.author.id)),
    message.author.bot ? h('span', { class: 'bot-mark' }, 'APP') : null,
    h(
      'time',
      { class: 'when', datetime: message.timestamp },
      new Date(message.timestamp).toLocaleString(),
    ),
    message.edited_timestamp === null ? null : h('span', { class: 'when' }, '(edited)'),
    h(
      'div',
      { class: 'content' },
      ...(loading ? [h('em', {}, 'is thinking…')] : markdown(message.content)),
    ),
    ...message.embeds.map(renderEmbed),
    ...message.attachments.map(renderFile),
    ...message.components.map((part) => renderComponent(message, part, acts)),
    renderReactions(message, acts),
    message.thread === undefined
      ? null
      : h('a', { href: `#${message.thread.id}` }, `Thread: ${message.thread.name}`),
    ephemeral
      ? h(
          'div',
          { class: 'note' },
          'Only you can see this · ',
          button('Dismiss', () => acts.dismiss(message)),
        )
      : renderActions(message, acts),
  );
}

function button(label, onclick, properties = {}) {
  return h('button', { type: 'button', onclick, ...properties }, label);
}

function renderActions(message, acts) {
  const own = message.author.id === state.me;
  const commands = state.commands.filter((command) => command.type === 3);
  return h(
    'div',
    { class: 'actions' },
    ...['👍', '👎'].map((emoji) =>
      button(emoji, (event) => acts.react(message, emoji, event.shiftKey), {
        title: `React with ${emoji} (with Shift: super reaction)`,
      }),
    ),
    ...commands.map((command) =>
      button(command.name, () => acts.messageCommand(message, command.name)),
    ),
    button('Thread', () => acts.startThread(message)),
    button('Delete', () => acts.delete(message), {
      title: own ? 'Delete your message' : "Delete someone's message",
    }),
  );
}

function renderReactions(message, acts) {
  const buttons = (message.reactions ?? []).flatMap((reaction) =>
    ['normal', 'burst'].flatMap((kind) => {
      const count = reaction.count_details[kind];
      if (count === 0) return [];
      const burst = kind === 'burst';
      const mine = burst ? reaction.me_burst : reaction.me;
      const { name } = reaction.emoji;
      return [
        button(
          `${burst ? '✨' : ''}${name} ${count}`,
          () => acts.toggle(message, name, burst, mine),
          {
            class: mine ? 'mine' : '',
            'aria-pressed': String(mine),
            'aria-label': `${name}, ${count} reactions`,
          },
        ),
      ];
    }),
  );
  return buttons.length === 0 ? null : h('div', { class: 'reactions' }, ...buttons);
}

function renderEmbed(embed) {
  const title = embed.title === undefined || embed.title === null ? null : embed.title;
  const element = h(
    'article',
    { class: 'embed' },
    embed.author ? h('div', { class: 'note' }, embed.author.name) : null,
    title === null
      ? null
      : h('div', { class: 'title' }, embed.url ? link(embed.url, [title]) : title),
    embed.description ? h('div', { class: 'content' }, ...markdown(embed.description)) : null,
    embed.fields?.length > 0
      ? h(
          'dl',
          { class: 'fields' },
          ...embed.fields.map((field) =>
            h(
              'div',
              { class: field.inline ? '' : 'wide' },
              h('dt', {}, field.name),
              h('dd', {}, ...markdown(field.value)),
            ),
          ),
        )
      : null,
    embed.footer || embed.timestamp
      ? h(
          'footer',
          {},
          [
            embed.footer?.text,
            embed.timestamp ? new Date(embed.timestamp).toLocaleString() : undefined,
          ]
            .filter(Boolean)
            .join(' · '),
        )
      : null,
  );
  if (typeof embed.color === 'number') {
    element.style.borderLeftColor = `#${embed.color.toString(16).padStart(6, '0')}`;
  }
  return element;
}

function renderFile(file) {
  const { pathname } = new URL(file.url, location.href);
  if (file.content_type.startsWith('image/')) {
    return h('img', { src: pathname, alt: file.description ?? file.filename, width: 400 });
  }
  return h('div', {}, h('a', { href: pathname, download: file.filename }, `📄 ${file.filename}`));
}

const STYLES = ['', 'primary', 'secondary', 'success', 'danger', 'link'];

function renderComponent(message, part, acts) {
  const inner = () => (part.components ?? []).map((child) => renderComponent(message, child, acts));
  switch (part.type) {
    case 1:
      return h('div', { class: 'row' }, ...inner());
    case 2: {
      const label = `${part.emoji?.name ?? ''} ${part.label ?? ''}`.trim();
      if (part.url) return link(part.url, [label]);
      return button(label, () => acts.press(message, part.custom_id), {
        class: STYLES[part.style],
        disabled: part.disabled,
      });
    }
    case 3:
    case 5:
    case 6:
    case 7:
    case 8:
      return renderSelect(message, part, acts);
    case 9:
      return h(
        'div',
        { class: 'row' },
        h('div', {}, ...inner()),
        part.accessory ? renderComponent(message, part.accessory, acts) : null,
      );
    case 10:
      return h('div', { class: 'content' }, ...markdown(part.content));
    case 14:
      return h('hr');
    case 17:
      return h('div', { class: 'container' }, ...inner());
    default:
      return h('div', { class: 'note' }, '(a component that this page does not show)');
  }
}

function people() {
  return [...state.people.keys()].map((id) => ({ label: nameOf(id), value: id }));
}

function roles() {
  return state.guild.roles.map((role) => ({ label: role.name, value: role.id }));
}

export function selectOptions(part) {
  const kinds = {
    3: () => part.options,
    5: people,
    6: roles,
    7: () => [...people(), ...roles()],
    8: () =>
      state.channels
        .filter(
          (channel) => !part.channel_types?.length || part.channel_types.includes(channel.type),
        )
        .map((channel) => ({ label: `#${channel.name}`, value: channel.id })),
  };
  return kinds[part.type]();
}

function renderSelect(message, part, acts) {
  const many = (part.max_values ?? 1) > 1;
  const select = h(
    'select',
    { multiple: many, disabled: part.disabled, 'aria-label': part.placeholder ?? 'Choose' },
    many ? null : h('option', { value: '' }, part.placeholder ?? 'Choose…'),
    ...selectOptions(part).map((option) =>
      h('option', { value: option.value, selected: option.default === true }, option.label),
    ),
  );
  const choose = () =>
    acts.choose(
      message,
      part.custom_id,
      [...select.selectedOptions].map((option) => option.value).filter(Boolean),
    );
  if (!many) select.addEventListener('change', choose);
  return h('span', { class: 'row' }, select, many ? button('Choose', choose) : null);
}
