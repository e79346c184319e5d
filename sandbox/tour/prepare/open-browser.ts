import { spawn } from 'node:child_process';

/** Shows an address where somebody sits in front of a screen; elsewhere nothing happens. */
export function openBrowser(address: string): void {
  const command = browserCommand();
  if (command === null || !process.stdout.isTTY) return;
  const [name = '', ...words] = command;
  const child = spawn(name, [...words, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // The address stands in the terminal as well.
  child.unref();
}

function browserCommand(): string[] | null {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : null;
}
