import type { Redis } from 'ioredis';
import type { Log } from '../runtime/log.ts';

/** Where settings, schedules and leases are stored. */
export type Store = { redis: Redis; applicationId: string; log: Log };
