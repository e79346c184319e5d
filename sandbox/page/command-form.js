import { get, h, post } from './api.js';
import { localeOf, nameOf, state } from './state.js';

const SUB = 1;
const GROUP = 2;

/** Every command and subcommand that can be chosen: its words, what it shows and its options. */
export function choosable() {
  const locale = localeOf(state.me);
  const shown = (thing) => thing.name_localizations?.[locale] ?? thing.name;
  const explained = (thing) => thing.description_localizations?.[locale] ?? thing.description;
  const walk = (thing, words, label) => {
    const subs = (thing.options ?? []).filter(
      (option) => option.type === SUB || option.type === GROUP,
    );
    if (subs.length === 0) {
      return [{ words, label, description: explained(thing), options: thing.options ?? [] }];
    }
    return subs.flatMap((sub) => walk(sub, `${words} ${sub.name}`, `${label} ${shown(sub)}`));
  };
  return state.commands
    .filter((command) => command.type === 1)
    .flatMap((command) => walk(command, command.name, shown(command)));
}

/** Puts a form for a command's options into a place; `run` gets its words and values. */
export function openCommandForm(place, command, run, close) {
  const fields = [];
  for (const option of command.options) {
    fields.push(makeField(command, option, () => readValues(fields)));
  }
  const form = h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        run(command.words, readValues(fields));
      },
      onkeydown: (event) => {
        if (event.key === 'Escape') close();
      },
    },
    h('strong', {}, `/${command.label}`),
    ...fields.map((field) => field.element),
    h('button', {}, 'Run'),
    h('button', { type: 'button', onclick: close }, 'Cancel'),
  );
  place.replaceChildren(form);
  place.hidden = false;
  (form.querySelector('input, select') ?? form.querySelector('button')).focus();
}

function readValues(fields) {
  return Object.fromEntries(
    fields
      .map((field) => [field.name, field.read()])
      .filter(([, value]) => value !== undefined && value !== ''),
  );
}

function makeField(command, option, values) {
  const locale = localeOf(state.me);
  const label = option.name_localizations?.[locale] ?? option.name;
  const description = option.description_localizations?.[locale] ?? option.description;
  const { control, read, beside } = makeControl(command, option, values);
  control.required = option.required === true;
  control.title = description;
  const element = h(
    'label',
    {},
    h('span', {}, `${label}${option.required ? ' *' : ''}`),
    beside ?? control,
  );
  return { name: option.name, element, read };
}

function makeControl(command, option, values) {
  const choices =
    option.choices?.map((choice) => ({
      label: choice.name_localizations?.[localeOf(state.me)] ?? choice.name,
      value: String(choice.value),
    })) ?? choicesFor(option);
  const number = option.type === 4 || option.type === 10;
  if (choices !== undefined && choices.length > 0) {
    const control = h(
      'select',
      {},
      h('option', { value: '' }, '—'),
      ...choices.map(({ label, value }) => h('option', { value }, label)),
    );
    const read = () =>
      control.value === ''
        ? undefined
        : option.type === 5
          ? control.value === 'true'
          : number
            ? Number(control.value)
            : control.value;
    return { control, read };
  }
  const control = h('input', {
    type: number ? 'number' : 'text',
    step: option.type === 10 ? 'any' : undefined,
    min: option.min_value,
    max: option.max_value,
    minlength: option.min_length,
    maxlength: option.max_length,
    autocomplete: 'off',
  });
  if (!option.autocomplete) {
    return {
      control,
      read: () =>
        control.value === '' ? undefined : number ? Number(control.value) : control.value,
    };
  }
  return withCompletion(command, option, control, values);
}

function choicesFor(option) {
  switch (option.type) {
    case 5:
      return [
        { label: 'True', value: 'true' },
        { label: 'False', value: 'false' },
      ];
    case 6:
      return [...state.people.keys()].map((id) => ({ label: nameOf(id), value: id }));
    case 7:
      return state.channels
        .filter(
          (channel) =>
            channel.name &&
            (!option.channel_types?.length || option.channel_types.includes(channel.type)),
        )
        .map((channel) => ({ label: `#${channel.name}`, value: channel.id }));
    case 8:
    case 9:
      return state.guild.roles.map((role) => ({ label: role.name, value: role.id }));
    default:
      return undefined;
  }
}

/** An input whose choices the bot gives while one types. */
function withCompletion(command, option, control, values) {
  let chosen;
  const list = h('div', { class: 'choices', hidden: true });
  let asked = 0;
  const ask = async () => {
    chosen = undefined;
    const turn = ++asked;
    const choices = await post(`as/${state.me}/complete`, {
      channel: state.channelId,
      words: command.words,
      focused: option.name,
      values: { ...values(), [option.name]: control.value },
    }).catch(() => []);
    if (turn !== asked) return;
    list.replaceChildren(
      ...choices.map(({ name, value }) =>
        h(
          'button',
          {
            type: 'button',
            onmousedown: (event) => event.preventDefault(),
            onclick: () => {
              control.value = name;
              chosen = value;
              list.hidden = true;
            },
          },
          name,
        ),
      ),
    );
    list.hidden = choices.length === 0;
  };
  control.addEventListener('input', ask);
  control.addEventListener('focus', ask);
  control.addEventListener('blur', (event) => {
    if (!list.contains(event.relatedTarget)) list.hidden = true;
  });
  const number = option.type === 4 || option.type === 10;
  return {
    control,
    beside: h('span', {}, control, list),
    read: () =>
      chosen ?? (control.value === '' ? undefined : number ? Number(control.value) : control.value),
  };
}

export async function readCommands() {
  state.commands = await get(`as/${state.me}/commands?channel=${state.channelId}`);
}
