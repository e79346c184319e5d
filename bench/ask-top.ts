import type { Community } from '../discord-box/test/community.ts';

/** A member asks for `/top`: the answer, and the time from the command until it is there (ms). */
export async function askTop(
  sandbox: Community,
  options: Record<string, string> = {},
  member = sandbox.members[0]!,
) {
  const startMs = performance.now();
  const { message } = await sandbox.as(member).command(sandbox.channels.general.id, 'top', options);
  return { message, tookMs: performance.now() - startMs };
}

/** The 95th percentile; 0 of none. */
export function p95(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)] ?? 0;
}
