import type { $ZodType } from 'zod/v4/core';

/** Discord's published specification as zod schemas, by name. */
export type Schemas = Record<string, $ZodType>;

/** Costs 0.2 s of CPU, so load it when there is something to check. */
export async function loadSchemas(): Promise<Schemas> {
  // @ts-expect-error The package has no types for this entry.
  return (await import('discord-api-spec/preview/zod')) as Schemas;
}
