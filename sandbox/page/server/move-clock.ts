import { readFileSync, writeFileSync } from 'node:fs';

/** Adds to the offset in the file that every clock of the sandbox watches. */
export function moveClock(file: string, addMs: number): void {
  let offsetMs = 0;
  try {
    offsetMs = Number(readFileSync(file, 'utf8').trim()) || 0;
  } catch {
    // No file yet means no offset.
  }
  writeFileSync(file, String(offsetMs + addMs));
}
