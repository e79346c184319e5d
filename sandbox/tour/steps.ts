import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Json, Message } from '../../discord-box/src/model/message.ts';
import type { World } from '../../discord-box/src/model/world.ts';
import { snowflakeMs, type Snowflake } from '../../discord-box/src/model/snowflakes.ts';
import {
  groupCount,
  isArticle,
  isEdition,
  isTallyOf,
  messageOf,
  messagesOf,
} from './article/shown.ts';
import { isOfTheCrowd } from './community/crowd.ts';
import { type Key, translate } from '../../src/text/catalogue.ts';
import { type Language, LANGUAGES } from './languages/languages.ts';
import type { Community } from './community/community.ts';
import type { ButtonName, Step, TourState, WorldKind } from './panel-state.ts';
import type { Phase } from './phases.ts';
import type { RedisView } from './redis-view.ts';
import { UNPOSTED } from './web/pages.ts';
import { comingIn, isComing } from './web/pages-coming.ts';

/** A walk through what the bot does; each step is ticked off by what really happened. */
export type Tour = {
  state(): TourState;
  /** What is seen elsewhere, such as an article that climbed. */
  tick(step: Step): void;
  /** Whoever is at the page hears in this article's thread what becomes of it. */
  follow(article: Snowflake): void;
  setWebPage(address: string): void;
  /** What the start does now; null: it is over, and the bot has read all that was there. */
  setPhase(phase: Phase | null): void;
  stop(): void;
};

/** Where nothing happens by itself, the tour is an admin's. */
const STEPS: Record<WorldKind, Step[]> = {
  month: [
    'post',
    'vote',
    'switch',
    'climb',
    'told',
    'mine',
    'top',
    'new',
    'needs-vote',
    'save',
    'mute',
    'feed',
    'flag',
    'group',
    'remove',
    'words',
    'digest',
    'recount',
    'signs',
    'check-up',
  ],
  empty: ['set-up', 'post', 'vote', 'top', 'board', 'digest', 'check-up'],
  links: ['import', 'report', 'top', 'board', 'set-up', 'post', 'vote', 'digest', 'check-up'],
};

/** The steps that an answered command ticks off, by its words. */
const COMMANDS: Record<string, Step> = {
  top: 'top',
  'top unjudged': 'needs-vote',
  'me new': 'new',
  'me articles': 'mine',
  'Save for me': 'save',
  'mod block': 'words',
};
/** The same for buttons and selects, by how their ids begin. */
const PRESSED: [begins: string, step: Step][] = [
  ['frontpage|check-up|open', 'check-up'],
  ['frontpage|import|begin', 'import'],
  ['frontpage|settings|value|votes', 'signs'],
  ['frontpage|settings|up-emoji', 'signs'],
  ['me|new|', 'new'],
  ['me|save|', 'save'],
  ['me|mute|', 'mute'],
  ['report-to-the-moderators|', 'flag'],
];
/** A list that was opened by a button, or chosen in its menu: `time-asc,unjudged`. */
const LISTED: [ends: RegExp, step: Step][] = [
  [/[|,]unjudged$/, 'needs-vote'],
  [/[|,]unvoted$/, 'new'],
];

function pressedStep(customId: string, chosen: string): Step | undefined {
  if (!customId.startsWith('top|'))
    return PRESSED.find(([begins]) => customId.startsWith(begins))?.[1];
  return LISTED.find(([ends]) => ends.test(chosen || customId))?.[1];
}

/** How what stands for an article begins that a moderator removed, in each language. */
const REMOVED = LANGUAGES.map(
  (language) => `-# ${translate(language, 'removed-message.moderator')}`,
);
/** How the line begins that tells a thread of its article's ★. */
const TOLD = '-# ★';

/** The bot's own words for its buttons; of two, the one behind the other. */
const BUTTONS: Record<ButtonName, Key | readonly Key[]> = {
  setUpButton: 'setup.start',
  importButton: 'frontpage.button.import',
  beginButton: 'import.button.begin',
  boardButton: ['frontpage.door.posts', 'frontpage.button.board'],
  checkUpButton: 'frontpage.door.check-up',
  votesSetting: ['frontpage.door.more', 'settings.votes'],
  upSetting: 'settings.up-emoji',
  needsVote: 'top.show.unjudged',
  muteSelect: 'personal.mute.select',
  flagCommand: 'command.report-to-the-moderators.name',
  moderateCommand: 'command.moderate.name',
  removeButton: 'moderate.remove',
  undoButton: 'moderate.undo',
};

/** Under the report of an import, the same button says what it leads to. */
const AFTER_IMPORT: Partial<Record<ButtonName, Key>> = { setUpButton: 'import.button.next' };

const SUBCOMMAND: number = ApplicationCommandOptionType.Subcommand;
const THUMBS = ['👍', '👎'];
const LOOK_EVERY_MS = 500;
/** Only the report of an import has the first, and only a board the second. */
const UNDO_BUTTON = '"frontpage|import|undo"';
const BOARD_BUTTON = '"top|open|score|';

type TourNeeds = {
  /** Whether a vote was counted, and a digest is due, is asked there. */
  redis: RedisView | undefined;
  community: Community;
  kind: WorldKind;
  inside: boolean;
  /** What was done when the sandbox ran the last time. */
  before: readonly Step[];
  /** What the start does when the page opens; null: nothing is waited for. */
  phase: Phase | null;
};

export function openTour(world: World, needs: TourNeeds): Tour {
  const { redis, community, kind, inside, before } = needs;
  const steps = STEPS[kind];
  const { botId } = world.application;
  const done = new Set(before);
  const followed = new Set<Snowflake>();
  const startedMs = world.clock.now();
  let clockMoved = false;
  let webPage: string | null = null;
  let { phase } = needs;
  let online = true;
  const keys = kind === 'links' ? { ...BUTTONS, ...AFTER_IMPORT } : BUTTONS;
  const buttons = Object.fromEntries(
    LANGUAGES.map((language) => [language, buttonsIn(language, keys)]),
  );
  /** Which thumb a member showed last, by article and member. */
  const shown = new Map<string, string>();
  /** In how many groups an article stood. */
  const groups = new Map<Snowflake, number>();
  /** The words of a command, and what was chosen, until it is answered. */
  const asked = new Map<Snowflake, string>();
  /** Articles on which somebody voted, until Redis has it. */
  const awaited = new Map<Snowflake, Step[]>();
  /** Somebody is at the set-up, until Redis has a digest. */
  let isSettingUp = false;

  for (const message of messagesOf(world)) {
    if (isArticle(message, botId)) groups.set(message.id, groupCount(message));
  }

  function tick(step: Step): void {
    if (done.has(step) || !steps.includes(step)) return;
    done.add(step);
    tell();
  }
  function tell(): void {
    world.changes.emit({ t: 'SANDBOX_TOUR', d: state(), intents: 0, pageOnly: true });
  }
  function state(): TourState {
    const isVoteMissed = [...awaited.values()].some((steps) => steps.includes('recount'));
    const freshLink = linkToPost();
    const { general, frontPage, rust } = community.channels;
    const channels = { general: general.id, frontPage: frontPage.id, rust: rust.id };
    const tour = { kind, phase, inside, steps, done: [...done], channels, buttons };
    return { ...tour, webPage, isVoteMissed, freshLink };
  }
  const coming = comingIn(community.language);
  function linkToPost(): string {
    const posted = [...messagesOf(world)].map(({ content }) => content).join('\n');
    const links = [...UNPOSTED, ...coming.map(({ page }) => page)].map(({ link }) => link);
    return links.find((link) => !posted.includes(link)) ?? links[0] ?? '';
  }
  function find(d: Json): Message | undefined {
    const id = String(d['message_id'] ?? d['id']);
    return world.channels.get(String(d['channel_id']))?.messages.get(id);
  }

  const stopListening = world.changes.listen(({ t, d }) => {
    if (t === 'SANDBOX_CLOCK') clockMoved = true;
    else if (t === 'BOX_BOT') online = d['online'] === true;
    else if (t === 'INTERACTION_CREATE') onAsked(d);
    else if (t === 'BOX_INTERACTION') onAnswer(d);
    else if (t === 'MESSAGE_REACTION_ADD') onVote(d);
    else if (t === 'MESSAGE_CREATE' || t === 'MESSAGE_UPDATE') onMessage(find(d));
  });

  function onAsked(d: Json): void {
    const data = (d['data'] ?? {}) as { name?: string; options?: Json[]; values?: string[] };
    const { name = '', options = [], values = [] } = data;
    const [first] = options;
    const words = [name, first?.['type'] === SUBCOMMAND ? first['name'] : first?.['value']];
    asked.set(String(d['id']), [...words, ...values].filter(Boolean).join(' '));
  }

  function onAnswer(d: Json): void {
    const words = asked.get(String(d['id']));
    asked.delete(String(d['id']));
    if (d['state'] !== 'answered') return;
    const { name, customId } = world.interactions.get(String(d['id'])) ?? {};
    const step =
      customId === undefined || customId === null
        ? (COMMANDS[words ?? ''] ?? COMMANDS[name ?? ''])
        : pressedStep(customId, words ?? '');
    if (step !== undefined) tick(step);
    if (name === 'digest' || customId?.startsWith('frontpage|setup|') === true) isSettingUp = true;
  }

  function onMessage(message: Message | undefined): void {
    if (message === undefined || message.onlyFor !== null) return;
    if (isArticle(message, botId)) {
      const fresh = snowflakeMs(message.id) >= startedMs;
      if (fresh && message.command === 'post' && !isComing(message.content)) {
        tick('post');
        followed.add(message.id);
      }
      const count = groupCount(message);
      if (count > (groups.get(message.id) ?? 1)) tick('group');
      if (isOfFeed(message)) tick('feed');
      groups.set(message.id, count);
    } else if (isEdition(message, botId)) {
      // In a month, the edition of the set-up is there before anybody comes.
      if (clockMoved || kind !== 'month') tick('digest');
    } else if (message.authorId === botId) {
      if (REMOVED.some((line) => message.content.startsWith(line))) tick('remove');
      // The thread of an article has its id. Those of the crowd's articles are told, too.
      if (followed.has(message.channelId) && message.content.startsWith(TOLD)) tick('told');
      const parts = JSON.stringify(message.components);
      if (parts.includes(UNDO_BUTTON)) tick('report');
      if (parts.includes(BOARD_BUTTON)) tick('board');
    }
  }

  /** Whether an article was found in what another bot wrote. */
  function isOfFeed({ replyTo }: Message): boolean {
    const source = replyTo === null ? undefined : messageOf(world, replyTo);
    return world.users.get(source?.authorId ?? '')?.bot === true;
  }

  function onVote(d: Json): void {
    const message = find(d);
    const user = String(d['user_id']);
    const emoji = String((d['emoji'] as Json)['name']);
    if (message === undefined || user === botId || !THUMBS.includes(emoji)) return;
    // The crowd's votes are not what somebody at the page did.
    if (isOfTheCrowd(world.users.get(user)?.username ?? '')) return;
    if (!isArticle(message, botId)) return;
    const key = `${message.id} ${user}`;
    const other = THUMBS.find((thumb) => thumb !== emoji) ?? '';
    const both = message.reactions.get(other)?.normal.has(user) === true;
    const switched = both || shown.get(key) === other;
    shown.set(key, emoji);
    const steps: Step[] = switched ? ['vote', 'switch'] : ['vote'];
    const waiting = awaited.get(message.id) ?? [];
    waiting.push(...steps);
    if (!online) waiting.push('recount');
    awaited.set(message.id, waiting);
    if (!online) tell();
  }

  /** Ticks off what Redis has counted: its tally is what Discord shows. */
  async function lookAtVotes(): Promise<void> {
    for (const [id, steps] of awaited) {
      const message = messageOf(world, id);
      if (message === undefined || message.guildId === null) {
        awaited.delete(id);
        tell();
      } else if (online && (await isCounted(message))) {
        awaited.delete(id);
        for (const step of steps) tick(step);
        tell();
      }
    }
  }
  async function lookAtDigest(): Promise<void> {
    if (!isSettingUp) return;
    const dueMs = await redis?.nextDigestMs(community.guild.id).catch(() => null);
    if (dueMs === null) return;
    isSettingUp = false;
    tick('set-up');
  }
  async function isCounted(message: Message): Promise<boolean> {
    if (redis === undefined) return true;
    const look = await redis.look(message.guildId ?? '', message.id);
    if (look.status !== 'found') return false;
    return isTallyOf(message, botId, look.article);
  }
  let looking = false;
  const timer = setInterval(() => {
    if (looking || (awaited.size === 0 && !isSettingUp)) return;
    looking = true;
    void Promise.all([lookAtVotes(), lookAtDigest()]).finally(() => {
      looking = false;
    });
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    state,
    tick,
    follow: (article) => void followed.add(article),
    setWebPage(address) {
      webPage = address;
    },
    setPhase(now) {
      phase = now;
      tell();
    },
    stop() {
      stopListening();
      clearInterval(timer);
    },
  };
}

function buttonsIn(language: Language, keys: typeof BUTTONS): Record<ButtonName, string> {
  const named = Object.entries(keys).map(([name, key]) => {
    const words = [key].flat().map((one) => translate(language, one));
    return [name, words.join(' → ')];
  });
  return Object.fromEntries(named) as Record<ButtonName, string>;
}
