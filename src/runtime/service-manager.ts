import { spawn } from 'node:child_process';

/**
 * Tells systemd what the process does, such as `READY=1` or `WATCHDOG=1`, where the unit asks for it (`Type=notify`).
 * systemd's own program sends it, since Node knows no datagrams on unix sockets. Resolves when it is told, or cannot be.
 */
export async function tellServiceManager(...states: string[]): Promise<void> {
  if (process.env['NOTIFY_SOCKET'] === undefined) return;
  await new Promise<void>((resolve) => {
    const told = spawn('systemd-notify', states, { stdio: 'ignore' });
    told.once('error', () => resolve());
    told.once('exit', () => resolve());
  });
}
