import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * The longest files, the longest first. They begin first, or one of them runs alone at the end while the
 * other workers have nothing to do: before a first run vitest knows no durations, and begins with the
 * largest files. A file that is missing here runs as well.
 */
const LONGEST = [
  'redis/private-server/private-server.slow',
  'votes/votes-around-posting.slow',
  'sandbox/tour/main.slow',
  'sandbox/page/page.slow',
  'sandbox/tour/steps.slow',
  'sandbox/tour/controls.slow',
  'backup/cli/backup.slow',
  'faults/half-open-connection.slow',
  'history/import/resumed.slow',
  'votes/recount/kill-while-voting.slow',
  'faults/loading-redis.slow',
  'faults/full-disk.slow',
  'house/unit.slow',
  'faults/emptied-redis.slow',
  'history/rebuild/damaged-data.slow',
  'threats/private-channels.slow',
  'web/appearance.slow',
  'digests/search/exactly-once.slow',
  'process/bin.slow',
  'digests/late-decisions.slow',
  'discord/interactions/answers-without-redis.slow',
  'history/import/phases.slow',
  'history/rebuild/rebuilding.slow',
  'votes/events/reactions',
  'votes/recount/votes-after-outage.slow',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // The files of a project stay together, since they share their workers.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => rankOf(a) - rankOf(b)),
    );
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
}
