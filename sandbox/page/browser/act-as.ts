import { leaveComposer } from './compose/composer.ts';
import { redraw, state } from './state/state.ts';
import { listen } from './stream.ts';

export async function actAs(userId: string): Promise<void> {
  if (userId === state.me) return;
  leaveComposer(() => {
    state.me = userId;
  });
  sessionStorage.setItem('me', userId);
  listen();
  redraw();
}
