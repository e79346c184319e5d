import type { Gateway } from '../../discord-box/src/gateway/gateway.ts';
import type { World } from '../../discord-box/src/model/world.ts';
import type { RestFaults } from '../../discord-box/src/rest/faults.ts';
import type { TroubleState } from './panel-state.ts';
import type { RedisView } from './redis-view.ts';

/** What goes wrong at the moment, as someone at the page's switches wants it. */
export type Trouble = {
  state(): TroubleState;
  set(change: Partial<TroubleState>): Promise<void>;
  emptyRedis(): Promise<void>;
};

const SLOW_MS = 1000;
const FAILING_SHARE = 0.7;

export function openTrouble(
  world: World,
  gateway: Gateway,
  faults: RestFaults,
  redis: RedisView | undefined,
): Trouble {
  let api: TroubleState['api'] = 'ok';
  let endApiFault: (() => void) | undefined;
  const state = (): TroubleState => ({
    gateway: gateway.open ? 'open' : 'cut',
    redis: redis?.halted() === true ? 'away' : 'there',
    api,
  });

  function setApi(next: TroubleState['api']): void {
    endApiFault?.();
    endApiFault = undefined;
    api = next;
    if (next === 'slow') endApiFault = faults.add({ delayMs: SLOW_MS });
    // The address of the gateway is not refused: that would be another fault.
    const route = /^(?!\/gateway)/;
    if (next === 'failing') {
      endApiFault = faults.add({ route, status: 503, chance: FAILING_SHARE });
    }
  }

  return {
    state,
    async set(change) {
      if (change.gateway !== undefined) {
        gateway.open = change.gateway === 'open';
        if (!gateway.open) gateway.drop({ resumable: false });
      }
      if (change.redis !== undefined) await redis?.halt(change.redis === 'away');
      if (change.api !== undefined) setApi(change.api);
      world.changes.emit({ t: 'SANDBOX_FAULTS', d: state(), intents: 0, pageOnly: true });
    },
    emptyRedis: async () => redis?.empty(),
  };
}
