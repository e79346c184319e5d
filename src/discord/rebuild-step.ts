/** How far the rebuild of a guild's ranking is. */
export type RebuildStep = {
  phase: 'recent' | 'older';
  /** Channels and threads that are read, of all that are to be read in this phase. */
  done: number;
  places: number;
  /** Articles recognised since the rebuild was begun, by whichever process. */
  articles: number;
};

/** Whether readers may miss something: not while the history of a guild without articles is read. */
export function isGappy({ phase, articles }: RebuildStep): boolean {
  return phase === 'recent' || articles > 0;
}
