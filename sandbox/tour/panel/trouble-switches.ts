import { attempt } from '../../page/browser/acts.ts';
import { post, read } from '../../page/browser/state/api.ts';
import { redraw } from '../../page/browser/state/state.ts';
import { hear } from '../../page/browser/stream.ts';
import type { TroubleState } from '../panel-state.ts';

/** What goes wrong at the moment. */
export let trouble: TroubleState = { gateway: 'open', redis: 'there', api: 'ok' };

hear('faults', (state: TroubleState) => {
  trouble = state;
});

export async function readTrouble(): Promise<void> {
  trouble = await read<TroubleState>('trouble');
  redraw();
}

export async function setTrouble(change: Partial<TroubleState>): Promise<void> {
  await attempt(() => post('trouble', change));
}
