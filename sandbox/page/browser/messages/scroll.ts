import { part, readMore } from './history.ts';
import { redraw, state } from '../state/state.ts';

/** How near to an end, in pixels, the next messages are read. */
const NEAR = 600;
const AT_END = 120;

/** Whether the end of the channel is to stay in sight. */
let followsEnd = true;
/** The message that is to stay where it is while others come above it, and where. */
let anchor: { id: string; top: number } | undefined;
let watched: Element | null = null;
let lastTop = 0;

const list = () => document.querySelector<HTMLElement>('#messages');
const elementOf = (id: string) => document.querySelector<HTMLElement>(`#message-${id}`);

export function followEnd(wish: boolean): void {
  followsEnd = wish;
  anchor = undefined;
}

export function isAtEnd(): boolean {
  const shown = list();
  if (shown === null || part.hasNewer) return shown === null;
  return shown.scrollHeight - shown.scrollTop - shown.clientHeight < AT_END;
}

/** After every drawing, and when what was drawn has found its height. */
export function keepPlace(): void {
  const shown = list();
  if (shown === null) return;
  const content = shown.firstElementChild;
  if (content !== watched) {
    heights.disconnect();
    watched = content;
    if (content !== null) heights.observe(content);
  }
  if (followsEnd && !part.hasNewer) {
    shown.scrollTop = shown.scrollHeight;
    // A command's form that closes moves the list back, and that is no scrolling of anybody's.
    lastTop = shown.scrollTop;
  } else if (anchor !== undefined) {
    const element = elementOf(anchor.id);
    if (element !== null) shown.scrollTop += element.getBoundingClientRect().top - anchor.top;
    // This was no scrolling of anybody's.
    lastTop = shown.scrollTop;
  }
}

// Pictures and components find their height some time after the drawing.
const heights = new ResizeObserver(keepPlace);

/** Puts a message in the middle. */
export function showMessage(id: string): void {
  followEnd(false);
  // Drawn by then.
  setTimeout(() => {
    const target = elementOf(id);
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
    if (target !== null) anchor = { id, top: target.getBoundingClientRect().top };
  }, 50);
}

export function onScroll(): void {
  const shown = list();
  if (shown === null) return;
  // What is drawn grows, and that is no scrolling of anybody's.
  if (isAtEnd()) followsEnd = true;
  else if (shown.scrollTop < lastTop) followsEnd = false;
  if (Math.abs(shown.scrollTop - lastTop) > 1) anchorHere(shown);
  lastTop = shown.scrollTop;
  const below = shown.scrollHeight - shown.scrollTop - shown.clientHeight;
  if (shown.scrollTop < NEAR && part.hasOlder) void more('older');
  else if (below < NEAR && part.hasNewer) void more('newer');
}

async function more(towards: 'older' | 'newer'): Promise<void> {
  const channel = state.channelId;
  const found = await readMore(towards).catch(() => false);
  if (!found || channel !== state.channelId) return;
  const shown = list();
  if (shown !== null) anchorHere(shown);
  redraw();
  // As much was left as came: the height is the same, and nobody is told of it.
  requestAnimationFrame(keepPlace);
}

/** The first message in sight is to stay where it is. */
function anchorHere(shown: HTMLElement): void {
  const { top } = shown.getBoundingClientRect();
  const first = [...shown.querySelectorAll<HTMLElement>('discord-message')].find(
    (element) =>
      element.getBoundingClientRect().bottom > top && state.messages.has(element.id.slice(8)),
  );
  anchor =
    first === undefined
      ? undefined
      : { id: first.id.slice(8), top: first.getBoundingClientRect().top };
}
