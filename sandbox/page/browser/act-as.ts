import { closeCommand } from './compose/composer.ts';
import { redraw, state } from './state/state.ts';
import { listen } from './state/stream.ts';

export async function actAs(userId: string): Promise<void> {
  if (userId === state.me) return;
  state.me = userId;
  sessionStorage.setItem('me', userId);
  closeCommand();
  listen();
  redraw();
  setTimeout(showActor, 50);
}

/** Where the row of actors is wider than the window. */
export function showActor(): void {
  const actor = document.querySelector('.actor[aria-checked="true"]');
  actor?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
