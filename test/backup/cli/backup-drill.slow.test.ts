import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useInstalledBot } from '../../fixtures/installed-bot.ts';
import { isWhole } from '../../fixtures/sample.ts';

const host = useInstalledBot();
const { folder, dataDir, run, startApp, command, top } = host;
const file = join(folder, 'drill.backup.gz');

// Withstands (Damaged data): An old backup is restored
// → what was deleted or erased stays away
test.runIf(isWhole)(
  'the drill: back up, lose everything, restore, go on; what was deleted and erased since stays away',
  async () => {
    const bot = await startApp();
    const { sandbox } = host;
    const general = sandbox.channels.general.id;
    const { id: article } = await command('post', {
      link: 'https://news.example/',
      title: 'before',
    });
    const [first = '', second = '', third = ''] = sandbox.members;
    const { id: gone } = await command('post', { link: 'https://gone.example/', title: 'gone' });
    const of = { link: 'https://erased.example/', title: 'erased' };
    await sandbox.as(third).command(general, 'post', of);
    sandbox.as(first).react(general, article, '👍');
    await expect.poll(top).toContain('▲ 2');
    const settings = { channel: general, time: '09:00', timezone: 'Europe/Berlin' };
    await command('digest set', settings);
    expect((await command('digest show')).said).toContain('Europe/Berlin');

    const backup = run('backup', file);
    expect([await backup.code, backup.said()]).toEqual([
      0,
      expect.stringContaining('without a fault'),
    ]);

    // What happens after the backup is in Discord, and comes from there.
    sandbox.as(sandbox.admin).delete(general, gone);
    const forget = run('forget', third);
    expect([await forget.code, forget.said()]).toEqual([0, expect.stringContaining('1 articles')]);
    sandbox.as(second).react(general, article, '👍');
    await expect.poll(top).toContain('▲ 3');
    bot.child.kill('SIGTERM');
    expect(await bot.code).toBe(0);
    renameSync(dataDir, `${dataDir}.lost`);

    const restore = run('restore', file);
    expect([await restore.code, restore.said()]).toEqual([
      0,
      expect.stringContaining('Articles: 3 restored'),
    ]);
    const again = run('restore', file);
    expect([await again.code, again.said()]).toEqual([
      0,
      expect.stringContaining('Articles: 0 restored, 3 unchanged'),
    ]);
    // No bot was on since, which notes the servers.
    const next = run('backup');
    expect([await next.code, next.said()]).toEqual([
      0,
      expect.stringContaining('Servers: 1, articles: 3'),
    ]);

    await startApp();
    expect(await top()).toContain('before');
    expect((await command('digest show')).said).toContain('Europe/Berlin');
    await expect.poll(top).toContain('▲ 3');
    await expect.poll(top).not.toMatch(/gone|erased/);
  },
  120_000,
);
