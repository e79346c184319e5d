import { join } from 'node:path';
import { openScript, type Script } from '../redis/scripts.ts';

/** A reply is an array that begins with a status word. */
export type Reply = [status: string, ...rest: (string | number | null)[]];

const script = (room: string, verb: string): Script<Reply> =>
  openScript(join(import.meta.dirname, room), verb);

/** The header of `<room>/lua/<verb>.lua` is the script's contract. */
export const scripts = {
  changeGroups: script('articles', 'change-groups'),
  closeArticle: script('articles', 'close-article'),
  deleteArticle: script('articles', 'delete-article'),
  lockArticle: script('articles', 'lock-article'),
  moveArticle: script('articles', 'move-article'),
  placeArticles: script('articles', 'place-articles'),
  postArticles: script('articles', 'post-articles'),
  removeArticle: script('articles', 'remove-article'),
  rescore: script('articles', 'rescore'),
  restoreArticle: script('articles', 'restore-article'),
  retitleArticle: script('articles', 'retitle-article'),
  setListed: script('articles', 'set-listed'),
  setMark: script('articles', 'set-mark'),

  castVotes: script('ballots', 'cast-votes'),
  clearReactions: script('ballots', 'clear-reactions'),
  eraseVote: script('ballots', 'erase-vote'),

  freeLink: script('links', 'free-link'),
  reindexLink: script('links', 'reindex-link'),
  releaseLink: script('links', 'release-link'),
  reserveLink: script('links', 'reserve-link'),

  readPage: script('lists', 'read-page'),
};
