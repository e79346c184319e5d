import { join } from 'node:path';
import { openScript, type Script } from '../redis/script.ts';

/** A reply is an array that begins with a status word. */
export type Reply<Status extends string> = [status: Status, ...rest: (string | number | null)[]];

/** The header of `<room>/lua/<verb>.lua` is the script's contract. */
function script<Status extends string>(room: string, verb: string): Script<Reply<Status>> {
  return openScript(join(import.meta.dirname, room), verb);
}

/** The statuses of a script on one article. */
type Of<Done extends string> = Done | 'unchanged' | 'unknown';

export const scripts = {
  changeGroup: script<Of<'changed' | 'home' | 'hidden' | 'full'>>('articles', 'change-group'),
  commentArticle: script<Of<'commented'>>('articles', 'comment-article'),
  closeArticle: script<Of<'closed'>>('articles', 'close-article'),
  deleteArticle: script<'deleted' | 'unknown'>('articles', 'delete-article'),
  deleteUnreadable: script<'deleted'>('articles', 'delete-unreadable'),
  noteLed: script<'noted' | 'unchanged' | 'unknown'>('articles', 'note-led'),
  lockArticle: script<Of<'changed' | 'closed'>>('articles', 'lock-article'),
  rankArticles: script<'placed'>('articles', 'rank-articles'),
  postArticles: script<'committed'>('articles', 'post-articles'),
  removeArticle: script<Of<'removed'>>('articles', 'remove-article'),
  restoreArticle: script<Of<'restored' | 'duplicate'>>('articles', 'restore-article'),
  retitleArticle: script<Of<'retitled'>>('articles', 'retitle-article'),
  setResult: script<Of<'changed' | 'open'>>('articles', 'set-result'),
  setHome: script<Of<'moved'>>('articles', 'set-home'),

  castVotes: script<'cast'>('ballots', 'cast-votes'),
  clearReactions: script<Of<'counted' | 'closed' | 'locked'>>('ballots', 'clear-reactions'),
  eraseVote: script<Of<'erased'>>('ballots', 'erase-vote'),

  reindexLink: script<Of<'moved'>>('links', 'reindex-link'),
  releaseLink: script<'released' | 'unchanged'>('links', 'release-link'),
  reserveLink: script<'reserved' | 'known' | 'posting' | 'expired'>('links', 'reserve-link'),

  indexSubject: script<Of<'indexed'>>('subjects', 'index-subject'),

  readPage: script<'page'>('lists', 'read-page'),
};
