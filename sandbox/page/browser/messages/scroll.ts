/** How near to the end, in pixels, counts as being there. */
const AT_END = 120;

/** Whether the end of the channel is to stay in sight. */
let followsEnd = true;
let watched: Element | null = null;
let lastTop = 0;

const list = () => document.querySelector<HTMLElement>('#messages');

export function followEnd(wish: boolean): void {
  followsEnd = wish;
}

/** After every drawing, and when what was drawn has found its height. */
export function keepEnd(): void {
  const shown = list();
  if (shown === null) return;
  const content = shown.firstElementChild;
  if (content !== watched) {
    heights.disconnect();
    watched = content;
    if (content !== null) heights.observe(content);
  }
  if (followsEnd) shown.scrollTop = shown.scrollHeight;
  lastTop = shown.scrollTop;
}

// Pictures and components find their height some time after the drawing.
const heights = new ResizeObserver(keepEnd);

/** Puts a message in the middle. */
export function showMessage(id: string): void {
  // Drawn by then.
  setTimeout(() => {
    const target = document.querySelector<HTMLElement>(`#message-${id}`);
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }, 50);
}

export function onScroll(): void {
  const shown = list();
  if (shown === null) return;
  const below = shown.scrollHeight - shown.scrollTop - shown.clientHeight;
  // Growing content is not scrolling: it moves nothing up.
  if (below < AT_END) followsEnd = true;
  else if (shown.scrollTop < lastTop) followsEnd = false;
  lastTop = shown.scrollTop;
}
