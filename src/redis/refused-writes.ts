import { faultLine, type Log } from '../runtime/log.ts';

/** What a host may do, by the first word of Redis's answer to a write. */
const CURES: Record<string, string> = {
  MISCONF: 'it cannot write to its disk. Free some space there, or see what its log says.',
  OOM: 'its memory is full. Raise its maxmemory, or give it more.',
  READONLY: 'it is a replica now. Make it the master again, or name the master in REDIS_URL.',
  NOREPLICAS: 'too few replicas follow it (min-replicas-to-write). Start them.',
  NOPERM: 'its user lost a permission. Start Frontpage again, which names what is missing.',
  CLUSTERDOWN: 'a part of the cluster is away. Start its nodes.',
};

/** Says to the host once why Redis takes no writes, and once that it takes them again. */
export interface WriteWatch {
  /** What a regular write returns, or `refused`. Throws other errors. */
  attempt<T>(write: () => Promise<T>): Promise<T | 'refused'>;
}

export function openWriteWatch(log: Log): WriteWatch {
  let refusedFor: string | undefined;
  return {
    async attempt(write) {
      try {
        const result = await write();
        if (refusedFor !== undefined) log.info('Redis takes writes again.');
        refusedFor = undefined;
        return result;
      } catch (error) {
        const [word = ''] = /^[A-Z]+\b/.exec((error as Error).message) ?? [];
        const cure = CURES[word];
        if (cure === undefined) throw error;
        if (word !== refusedFor) log.error(faultLine(error), `Redis takes no writes: ${cure}`);
        refusedFor = word;
        return 'refused';
      }
    },
  };
}
