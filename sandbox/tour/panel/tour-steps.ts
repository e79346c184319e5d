import { html, type TemplateResult } from 'lit';
import { actAs } from '../../page/browser/act-as.ts';
import { post } from '../../page/browser/state/api.ts';
import { choosable, takeCommand } from '../../page/browser/compose/composer.ts';
import { goTo } from '../../page/browser/layout/channels.ts';
import { isReading } from '../../page/browser/messages/room.ts';
import {
  actors,
  inOrder,
  type Message,
  rankOf,
  redraw,
  state,
} from '../../page/browser/state/state.ts';
import { either } from '../../page/browser/state/words.ts';
import { posterIn, titleIn } from '../article/text.ts';
import type { Step, TourState } from '../panel-state.ts';
import { climbView, startClimb } from './climb-view.ts';
import type { Text } from './pressed.ts';
import { trouble, setTrouble } from './trouble-switches.ts';

type Action = { label: Text; run(): unknown; main?: boolean };
export type Guide = {
  step: Step;
  title: Text;
  text: Text;
  actions(tour: TourState): Action[];
  /** What the step shows beside its buttons. */
  view?(tour: TourState): TemplateResult | undefined;
};

const SHOW: Text = ['Show me', '带我去'];

export const GUIDES: Guide[] = [
  {
    step: 'post',
    title: ['Post a link', '投稿一个链接'],
    text: [
      '/post makes an article of a link. Press Run; a moment later it has the page’s title and preview.',
      '/投稿 把链接变成文章。点“执行”，片刻之后就有网页的标题和预览。',
    ],
    actions: ({ freshLink }) => [
      { label: SHOW, run: () => openCommand('general', 'post', { link: freshLink }) },
    ],
  },
  {
    step: 'vote',
    title: ['Vote on an article', '给文章投票'],
    text: [
      'Click 👍 under someone else’s article. The reaction is the vote.',
      '点别人文章下的 👍。这个反应就是你的一票。',
    ],
    actions: () => [{ label: SHOW, run: () => pointAt('fresh') }],
  },
  {
    step: 'switch',
    title: ['Change your mind', '改变主意'],
    text: [
      'Click 👎 on the same article: your vote is now a 👎.',
      '在同一篇文章上点 👎，你的一票就变成了 👎。',
    ],
    actions: () => [{ label: SHOW, run: () => pointAt('voted') }],
  },
  {
    step: 'climb',
    title: ['Watch an article climb', '看一篇文章上升'],
    text: [
      'The front page, live. Let readers vote for its last article, until it leads.',
      '这是实时的头版。让读者给最后一篇文章投票，直到它升到第一。',
    ],
    actions: () => [{ label: ['Let them vote', '让他们投票'], run: startClimb }],
    view: climbView,
  },
  {
    step: 'top',
    title: ['Read the front page', '看看头版'],
    text: [
      '/top lists the best articles, to you alone. Votes lift an article, and age lets it sink.',
      '/排行 列出最好的文章，只有你能看到。票数让文章上升，时间让它下沉。',
    ],
    actions: () => [{ label: SHOW, run: () => openCommand(null, 'top') }],
  },
  {
    step: 'group',
    title: ['Add an article to another channel', '把文章加入另一个频道'],
    text: [
      'Every channel is a topic. A moderator can list an article in a second one.',
      '每个频道都是一个主题。版主可以把一篇文章也列入另一个频道。',
    ],
    actions: () => [
      {
        label: ['Show me, as the moderator', '以版主身份带我去'],
        run: async () => {
          await become('moderator');
          goToNamed('general');
          await until(() => channelName(state.channelId) === 'general' && state.messages.size > 0);
          const article = anyArticle();
          const rust = state.channels.find(({ name }) => name === 'rust')?.id;
          await openCommand('general', 'group add', {
            ...(article === undefined ? {} : { article }),
            ...(rust === undefined ? {} : { channel: rust }),
          });
        },
      },
    ],
  },
  {
    step: 'digest',
    title: ['Let the digest come', '等精选发布'],
    text: [
      'Once a day, the best is posted to #front-page. Move the clock to tomorrow’s; members post meanwhile, and the bot posts within a minute.',
      '每天一次，最好的文章会发到 #front-page。把时钟拨到明天的发布时间：其间成员照常投稿，到点后一分钟之内机器人就会发布。',
    ],
    actions: () => [
      {
        label: ['Go to the next digest', '前往下一期精选'],
        run: async () => {
          goToNamed('front-page');
          await post('clock', { to: 'digest', guild: state.guild.id });
        },
      },
    ],
  },
  {
    step: 'recount',
    title: ['Lose the connection', '断开连接'],
    text: [
      'Cut the bot off from Discord, vote meanwhile, and connect it again: a recount finds the vote.',
      '切断机器人与 Discord 的连接，其间投一票，再恢复连接：重新计票会找回这一票。',
    ],
    actions({ isVoteMissed }) {
      if (trouble.gateway === 'cut') {
        return [
          { label: SHOW, run: () => pointAt('fresh'), main: !isVoteMissed },
          {
            label: ['Give it back', '恢复连接'],
            run: () => setTrouble({ gateway: 'open' }),
            main: isVoteMissed,
          },
        ];
      }
      if (isVoteMissed) return [];
      return [
        { label: ['Cut the connection', '切断连接'], run: () => setTrouble({ gateway: 'cut' }) },
      ];
    },
    view({ isVoteMissed }) {
      const text = connectionText(isVoteMissed);
      return text && html`<p role="status">${either(text)}</p>`;
    },
  },
  {
    step: 'check-up',
    title: ['Run the check-up', '检查一下'],
    text: [
      'As the admin, press Check-up on the panel: it says whether all is well.',
      '以管理员身份在面板上点“检查”，看看一切是否正常。',
    ],
    actions: () => [
      {
        label: ['Show me, as the admin', '以管理员身份带我去'],
        run: async () => {
          await become('admin');
          await openCommand('general', 'frontpage panel');
        },
      },
    ],
  },
];

function connectionText(isVoteMissed: boolean): Text | undefined {
  if (trouble.gateway === 'cut') {
    return isVoteMissed
      ? ['The bot missed that vote. Give the connection back.', '机器人错过了这一票。请恢复连接。']
      : ['The connection is cut. Vote on an article now.', '连接已切断。现在给一篇文章投票吧。'];
  }
  return isVoteMissed
    ? ['The bot is connecting again and will recount…', '机器人正在重新连接，随后会重新计票…']
    : undefined;
}

/** The title of the newest article in sight. */
function anyArticle(): string | undefined {
  const titles = inOrder()
    .filter(({ author }) => author.id === state.botId)
    .map(({ content }) => titleIn(content))
    .filter((title) => title !== null);
  return titles.at(-1);
}

function channelName(id: string): string | undefined {
  return state.channels.find((channel) => channel.id === id)?.name;
}

async function become(rank: 'moderator' | 'admin'): Promise<void> {
  const someone = actors().find(({ user }) => rankOf(user.id) === rank);
  if (someone === undefined || someone.user.id === state.me) return;
  state.commands = [];
  await actAs(someone.user.id);
}

function goToNamed(name: string): void {
  const channel = state.channels.find(
    (one) => one.name === name && one.guild_id === state.guild.id,
  );
  state.drawer = '';
  if (channel !== undefined && channel.id !== state.channelId) goTo(channel.id);
  redraw();
}

/** Opens a command's form, in a channel and as someone that may take a moment to be there. */
async function openCommand(
  channel: string | null,
  words: string,
  values: Record<string, string> = {},
): Promise<void> {
  if (channel !== null) goToNamed(channel);
  state.drawer = '';
  await until(() =>
    choosable().some((one) => one.words === words || one.words.startsWith(`${words} `)),
  );
  const found = choosable().find((one) => one.words === words || one.words.startsWith(`${words} `));
  takeCommand(found?.words ?? words, values);
}

/** Leads to the thumb to click, under an article that somebody else has posted. */
async function pointAt(kind: 'fresh' | 'voted'): Promise<void> {
  const find = (): Message | undefined =>
    [...state.messages.values()].findLast((message) => {
      const isArticle = message.author.id === state.botId && titleIn(message.content) !== null;
      const own = posterIn(message.content) === state.me;
      const mine = ['👍', '👎'].filter((thumb) => shows(message, thumb)).length;
      return isArticle && !own && mine === (kind === 'fresh' ? 0 : 1);
    });
  if (find() === undefined) goToNamed('general');
  await until(() => find() !== undefined || isGeneralRead());
  const message = find();
  state.drawer = '';
  redraw();
  if (message === undefined) {
    const text: Text =
      kind === 'fresh'
        ? [
            'Nothing here that you could vote on: post a link as someone else first.',
            '这里还没有你能投票的文章：先用别人的身份投一篇。',
          ]
        : ['Vote on an article first.', '请先给一篇文章投票。'];
    throw new Error(either(text));
  }
  const element = document.querySelector<HTMLElement>(`#message-${message.id}`);
  element?.scrollIntoView({ block: 'center' });
  const thumbs = element?.querySelectorAll<HTMLElement>('discord-reaction') ?? [];
  const thumb = thumbs[shows(message, '👍') ? 1 : 0];
  thumb?.focus({ preventScroll: true });
  document.querySelector('.pointed')?.classList.remove('pointed');
  thumb?.classList.add('pointed');
  setTimeout(() => thumb?.classList.remove('pointed'), 4000);
}

function isGeneralRead(): boolean {
  return channelName(state.channelId) === 'general' && !isReading();
}

function shows(message: Message, thumb: string): boolean {
  return message.reactions?.some(({ emoji, me }) => emoji.name === thumb && me) === true;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
