import { Hono } from 'hono';
import type { Gateway } from './gateway/gateway.ts';
import type { RestFaults } from './rest/faults.ts';
import type { RequestLog } from './rest/request-log.ts';
import type { World } from './world/world.ts';

export type PageParts = {
  world: World;
  gateway: Gateway;
  requests: RequestLog;
  faults: RestFaults;
};

export function pageApi(_parts: PageParts): Hono {
  return new Hono();
}
