import { Routes } from 'discord.js';
import { noteHeldBack } from '../articles/held-back/held-back.ts';
import { showWhatIsTaken } from '../articles/held-back/show-what-is-taken.ts';
import { isContentRefused } from '../discord/requests/refusals.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { boardMessage } from './board-message.ts';
import { withRequest } from './board-rules.ts';
import { lookAtList, type Seen } from './seen.ts';
import type { BoardState } from './stored-board.ts';
import { localeOf, saved, type Work } from './work.ts';

/** A board has few requests in an hour. With so many, Discord may refuse up to five of ten articles. */
const TRIES_AT_MOST = 20;

type Sent = {
  message: Snowflake;
  shown: Pick<BoardState, 'articles' | 'named' | 'shown'>;
  state: BoardState;
};

/**
 * Sends the board, with all articles that Discord takes. Where it refuses the message with all of them, it is
 * sent with a part, and the others are added to it, at last those that the board has not shown before.
 * `send` sends the first one, and returns its message.
 */
export async function sendBoard(
  work: Work,
  seen: Seen,
  send: (body: object) => Promise<Snowflake>,
): Promise<Sent> {
  const { needs, guild, choice } = work;
  const target = { guild: guild.id, channel: choice.channel };
  const now = needs.clock.now();
  let { state } = work;
  let done: Pick<Sent, 'message' | 'shown'> | null = null;

  async function sendSeen({ content, picture }: Seen) {
    const { body } = boardMessage(content, now);
    if (done === null) done = { message: await send(body), shown: shownIn({ content, picture }) };
    else {
      const { message } = done;
      await needs.requests.patch(target, Routes.channelMessage(target.channel, message), body);
      done = { message, shown: shownIn({ content, picture }) };
    }
    return done;
  }

  try {
    return { ...(await sendSeen(seen)), state };
  } catch (error) {
    if (!isContentRefused(error)) throw error;
    const isNew = ({ id }: Article) => Number(!state.articles.includes(id));
    const look = (mayShow: (article: Article) => boolean) =>
      lookAtList(needs, guild, target.channel, mayShow);
    const found = await showWhatIsTaken({
      async wanted(refused) {
        const whole = await look(({ id }) => !refused.has(id));
        const articles = whole?.content.articles ?? [];
        return articles.toSorted((a, b) => isNew(a) - isNew(b)).map(({ id }) => id);
      },
      async show(only) {
        const part = await look(({ id }) => only.has(id));
        if (part === null || part.picture.articles.length === 0) return 'empty';
        try {
          await sendSeen(part);
        } catch (again) {
          if (isContentRefused(again)) return 'refused';
          throw again;
        }
        state = await saved({ ...work, state }, withRequest(state, now));
        return 'taken';
      },
      triesAtMost: TRIES_AT_MOST,
    });
    // Its reason may be none of an article's.
    if (done === null) throw error;
    const locale = await localeOf(needs, guild);
    const most = found.isOfNumber ? found.taken.size : null;
    const refusal = { code: String(error.code), locale, now, by: choice.savedBy, most };
    await noteHeldBack(needs, target, [...found.refused], refusal);
    return { ...(done as Pick<Sent, 'message' | 'shown'>), state };
  }
}

function shownIn({ content, picture }: Seen): Sent['shown'] {
  const { articles, unnamed } = content;
  const posters = new Set(articles.map(({ poster }) => poster));
  const named = [...posters].filter((poster) => !unnamed.has(poster));
  return { articles: [...picture.articles], named, shown: picture.shown };
}
