import { html, type TemplateResult } from 'lit';
import { actAs } from '../../page/browser/act-as.ts';
import { post } from '../../page/browser/state/api.ts';
import { choosable, takeCommand } from '../../page/browser/compose/composer.ts';
import { goTo } from '../../page/browser/layout/channels.ts';
import { isReading } from '../../page/browser/messages/room.ts';
import {
  actors,
  commandLabel,
  inOrder,
  type Message,
  rankOf,
  redraw,
  state,
} from '../../page/browser/state/state.ts';
import { language, say } from '../../page/browser/state/words.ts';
import { posterIn, titleIn } from '../article/text.ts';
import type { Step, TourState } from '../panel-state.ts';
import { climbView, nearestToRise, startClimb } from './climb-view.ts';
import { trouble, setTrouble } from './trouble-switches.ts';
import { sayTour, type TourWord } from './words/say-tour.ts';

type Action = { label: TourWord; run(): unknown; main?: boolean };
export type Guide = {
  /** What the step says; `<step>.text` by default. */
  text?(tour: TourState): TourWord;
  actions(tour: TourState): Action[];
  /** What the step shows beside its buttons. */
  view?(tour: TourState): TemplateResult | undefined;
};

const isAlone = ({ kind }: TourState): boolean => kind !== 'month';

export const GUIDES: Record<Step, Guide> = {
  'set-up': {
    actions: ({ channels }) => [
      {
        label: 'showAsAdmin',
        run: () => showButton(channels.general, 'frontpage|setup|start'),
      },
    ],
  },
  import: {
    actions: ({ channels }) => [
      {
        label: 'showAsAdmin',
        run: () => showButton(channels.general, 'frontpage|import|start'),
      },
    ],
  },
  report: {
    actions: ({ channels }) => [
      {
        label: 'show',
        run: () => showButton(channels.general, 'frontpage|setup|start'),
      },
    ],
  },
  board: { actions: () => [{ label: 'showAsAdmin', run: openPanel }] },
  post: {
    actions: ({ freshLink, channels }) => [
      { label: 'show', run: () => openCommand(channels.general, 'post', { link: freshLink }) },
    ],
  },
  vote: {
    actions: (tour) => [
      {
        label: isAlone(tour) ? 'showAsMember' : 'show',
        run: async () => {
          if (isAlone(tour)) await become('member');
          await pointAt('fresh', tour);
        },
      },
    ],
    view: climbView,
  },
  switch: {
    actions: (tour) => [{ label: 'show', run: () => pointAt('voted', tour) }],
    view: climbView,
  },
  climb: { actions: () => [{ label: 'climb.action', run: startClimb }], view: climbView },
  told: { actions: () => [{ label: 'told.action', run: startTalk }] },
  mine: { actions: () => [{ label: 'show', run: () => openCommand(null, 'me articles') }] },
  top: { actions: () => [{ label: 'show', run: () => openCommand(null, 'top') }] },
  new: { actions: () => [{ label: 'show', run: () => openCommand(null, 'me new') }] },
  'needs-vote': {
    actions: () => [{ label: 'show', run: () => openCommand(null, 'top', { show: 'unjudged' }) }],
  },
  save: { actions: ({ channels }) => [{ label: 'show', run: () => openMenuIn(channels.general) }] },
  mute: { actions: ({ channels }) => [{ label: 'show', run: () => openMenuIn(channels.general) }] },
  flag: { actions: ({ channels }) => [{ label: 'show', run: () => openMenuIn(channels.general) }] },
  remove: {
    actions: ({ channels }) => [
      {
        label: 'showAsModerator',
        run: async () => {
          await become('moderator');
          await openMenuIn(channels.general);
        },
      },
    ],
  },
  words: {
    actions: () => [
      {
        label: 'showAsModerator',
        run: async () => {
          await become('moderator');
          await openCommand(null, 'mod block', { words: sayTour('words.value') });
        },
      },
    ],
  },
  feed: { actions: ({ channels }) => [{ label: 'show', run: () => goToChannel(channels.rust) }] },
  group: {
    actions: ({ channels: { general, rust } }) => [
      {
        label: 'showAsModerator',
        run: async () => {
          await become('moderator');
          goToChannel(general);
          await until(() => state.channelId === general && state.messages.size > 0);
          const article = anyArticle();
          await openCommand(general, 'group add', {
            ...(article === undefined ? {} : { article }),
            channel: rust,
          });
        },
      },
    ],
  },
  digest: {
    text: (tour) => (isAlone(tour) ? 'digest.alone' : 'digest.text'),
    actions: ({ channels }) => [
      {
        label: 'digest.action',
        run: async () => {
          goToChannel(channels.frontPage);
          await post('clock', { to: 'digest', guild: state.guild.id });
        },
      },
    ],
  },
  recount: {
    actions(tour) {
      const { isVoteMissed } = tour;
      if (trouble.gateway === 'cut') {
        return [
          { label: 'show', run: () => pointAt('fresh', tour), main: !isVoteMissed },
          {
            label: 'recount.giveBack',
            run: () => setTrouble({ gateway: 'open' }),
            main: isVoteMissed,
          },
        ];
      }
      if (isVoteMissed) return [];
      return [{ label: 'recount.cut', run: () => setTrouble({ gateway: 'cut' }) }];
    },
    view({ isVoteMissed }) {
      const text = connectionText(isVoteMissed);
      return text && html`<p role="status">${sayTour(text)}</p>`;
    },
  },
  signs: { actions: () => [{ label: 'showAsAdmin', run: openPanel }] },
  'check-up': { actions: () => [{ label: 'showAsAdmin', run: openPanel }] },
};

/** What the texts of the tour name: commands, buttons and channels, as they are called here. */
export function namesIn({ channels, buttons }: TourState): Record<string, string> {
  return {
    ...buttons[language()],
    post: commandLabel('post'),
    top: commandLabel('top'),
    panel: commandLabel('frontpage panel'),
    set: commandLabel('digest set'),
    mine: commandLabel('me articles'),
    newForMe: commandLabel('me new'),
    saved: commandLabel('me saved'),
    saveForMe: commandLabel('Save for me'),
    whyThisRank: commandLabel('Why this rank?'),
    reports: commandLabel('mod reports'),
    block: commandLabel('mod block'),
    run: say('run'),
    general: channelName(channels.general),
    frontPage: channelName(channels.frontPage),
    rust: channelName(channels.rust),
  };
}

function channelName(id: string): string {
  return `#${state.channels.find((one) => one.id === id)?.name ?? ''}`;
}

function connectionText(isVoteMissed: boolean): TourWord | undefined {
  if (trouble.gateway === 'cut') return isVoteMissed ? 'recount.missed' : 'recount.isCut';
  return isVoteMissed ? 'recount.connecting' : undefined;
}

/** Leads to the thread as soon as the bot has begun it: there it tells what becomes of the article. */
async function startTalk(): Promise<void> {
  const { article } = await post<{ article: string }>('talk', { by: state.me });
  await until(() => state.channels.some(({ id }) => id === article));
  goToChannel(article);
}

/** Opens the menu of somebody else's article, where Discord has the message commands. */
async function openMenuIn(general: string): Promise<void> {
  if (newestOfOthers() === undefined) goToChannel(general);
  await until(() => newestOfOthers() !== undefined && !isReading());
  state.drawer = '';
  redraw();
  // A channel that has just been opened scrolls to its end, and the focus that leaves a menu closes it.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const element = document.querySelector<HTMLElement>(`#message-${newestOfOthers()?.id ?? ''}`);
  if (!element) throw new Error(sayTour('nothingToVote'));
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
  element.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
}

function newestOfOthers(): Message | undefined {
  return inOrder().findLast(isOthers);
}

function isOthers({ author, content }: Message): boolean {
  return author.id === state.botId && titleIn(content) !== null && posterIn(content) !== state.me;
}

/** The title of the newest article in sight. */
function anyArticle(): string | undefined {
  const titles = inOrder()
    .filter(({ author }) => author.id === state.botId)
    .map(({ content }) => titleIn(content))
    .filter((title) => title !== null);
  return titles.at(-1);
}

/** The member that is somebody else than the one who acts now. */
async function become(rank: 'member' | 'moderator' | 'admin'): Promise<void> {
  const someone = actors().find(({ user }) => rankOf(user.id) === rank);
  if (someone === undefined || rankOf(state.me) === rank) return;
  state.commands = [];
  await actAs(someone.user.id);
}

async function openPanel(): Promise<void> {
  await become('admin');
  await openCommand(null, 'frontpage panel');
}

function goToChannel(id: string): void {
  state.drawer = '';
  if (state.channels.some((one) => one.id === id) && id !== state.channelId) goTo(id);
  redraw();
}

/** Leads the admin to the newest button of the bot's that does this. */
async function showButton(channel: string, customId: string): Promise<void> {
  await become('admin');
  goToChannel(channel);
  const find = (): HTMLElement | undefined =>
    [...document.querySelectorAll<HTMLElement>(`[data-custom-id="${customId}"]`)].at(-1);
  await until(() => find() !== undefined);
  const button = find();
  button?.scrollIntoView({ block: 'center' });
  pointTo(button);
}

/** Opens a command's form, in a channel and as someone that may take a moment to be there. */
async function openCommand(
  channel: string | null,
  words: string,
  values: Record<string, string> = {},
): Promise<void> {
  if (channel !== null) goToChannel(channel);
  state.drawer = '';
  await until(() =>
    choosable().some((one) => one.words === words || one.words.startsWith(`${words} `)),
  );
  const found = choosable().find((one) => one.words === words || one.words.startsWith(`${words} `));
  takeCommand(found?.words ?? words, values);
}

/** Leads to the thumb to click, under an article that somebody else has posted. */
async function pointAt(kind: 'fresh' | 'voted', { channels }: TourState): Promise<void> {
  const find = (): Message | undefined => {
    const all = [...state.messages.values()].filter((message) => {
      const mine = ['👍', '👎'].filter((thumb) => shows(message, thumb)).length;
      return isOthers(message) && mine === (kind === 'fresh' ? 0 : 1);
    });
    // One vote is likely to move it before their eyes.
    const near = kind === 'fresh' ? nearestToRise(all.map(({ id }) => id)) : undefined;
    return all.find(({ id }) => id === near) ?? all.at(-1);
  };
  if (find() === undefined) goToChannel(channels.general);
  await until(() => find() !== undefined || (state.channelId === channels.general && !isReading()));
  const message = find();
  state.drawer = '';
  redraw();
  if (message === undefined) {
    throw new Error(sayTour(kind === 'fresh' ? 'nothingToVote' : 'voteFirst'));
  }
  const element = document.querySelector<HTMLElement>(`#message-${message.id}`);
  element?.scrollIntoView({ block: 'center' });
  const thumbs = element?.querySelectorAll<HTMLElement>('discord-reaction') ?? [];
  const thumb = thumbs[shows(message, '👍') ? 1 : 0];
  pointTo(thumb);
}

/** Focuses it, and lets it glow for a moment. */
function pointTo(element: HTMLElement | undefined): void {
  // A button of Discord's is a component: what takes the focus is inside.
  const inner = element?.shadowRoot?.querySelector<HTMLElement>('button');
  (inner ?? element)?.focus({ preventScroll: true });
  document.querySelector('.pointed')?.classList.remove('pointed');
  element?.classList.add('pointed');
  setTimeout(() => element?.classList.remove('pointed'), 4000);
}

function shows(message: Message, thumb: string): boolean {
  return message.reactions?.some(({ emoji, me }) => emoji.name === thumb && me) === true;
}

/** What the bot is still making comes within seconds, on a busy machine within twenty. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 700; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
