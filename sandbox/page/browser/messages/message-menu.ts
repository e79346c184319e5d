import { does, messageCommand, react, remove, removeEmbeds } from '../acts.ts';
import { type MenuItem, openMenu } from '../parts/menu.ts';
import { openForm, textField } from '../parts/modal.ts';
import {
  isThread,
  channelOf,
  localized,
  type Message,
  rankOf,
  redraw,
  state,
} from '../state/state.ts';
import { say } from '../state/words.ts';

/** What can be done with a message: the bot's message commands among them. */
export function openMessageMenu(event: MouseEvent | KeyboardEvent, message: Message): void {
  const commands = state.commands.filter((command) => command.type === 3);
  const channel = channelOf(message.channel_id);
  const threads =
    channel !== undefined &&
    !isThread(channel) &&
    channel.type !== 1 &&
    channelOf(message.id) === undefined;
  const mayDelete = message.author.id === state.me || rankOf(state.me) !== 'member';
  const items: MenuItem[] = [
    ...['👍', '👎'].map((emoji) => ({
      label: say('reactWith', { emoji }),
      run: () => react(message, emoji),
    })),
    ...(threads ? [{ label: say('startThread'), run: () => startThread(message) }] : []),
    { label: say('copyLink'), run: () => copyLink(message) },
    ...(mayDelete && message.embeds.length > 0
      ? [{ label: say('removeEmbeds'), run: () => removeEmbeds(message) }]
      : []),
    ...(mayDelete ? [{ label: say('delete'), danger: true, run: () => remove(message) }] : []),
    ...commands.map((command) => ({
      under: say('apps'),
      label: localized(command.name, command.name_localizations),
      run: () => messageCommand(message, command.name),
    })),
  ];
  openMenu(event, items);
}

function startThread(message: Message): void {
  openForm(say('startThread'), [textField('name', say('threadName'), { max: 100 })], ({ name }) => {
    void does('start-thread', { channel: message.channel_id, from: message.id, name });
  });
}

async function copyLink(message: Message): Promise<void> {
  const link = `https://discord.com/channels/${state.guild.id}/${message.channel_id}/${message.id}`;
  // Without the right to the clipboard, the page shows the link.
  const copied = await navigator.clipboard.writeText(link).then(
    () => true,
    () => false,
  );
  state.status = copied ? say('copied') : link;
  redraw();
}
