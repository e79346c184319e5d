/** Four times a second so many requests are let through: a page takes less than a millisecond. */
export const REQUESTS_AT_ONCE = 50;
const WINDOW_MS = 250;

/** Says whether a request is one too many. A flood then costs members a small part of the process. */
export function openThrottle(): () => boolean {
  let count = 0;
  let windowMs = performance.now();
  return () => {
    const now = performance.now();
    if (now - windowMs >= WINDOW_MS) {
      windowMs = now;
      count = 0;
    }
    count += 1;
    return count > REQUESTS_AT_ONCE;
  };
}
