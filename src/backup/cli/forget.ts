import { CannotStart } from '../../runtime/cannot-start.ts';
import { eraseMember, finishErasing, hasDataOf } from '../../privacy/member-data.ts';
import { readGuilds } from '../../community/known-guilds.ts';
import { setOptedOut } from '../../community/opted-out.ts';
import { atCommandLine, readId } from './command-line.ts';

const usage = `Usage: node bin/frontpage.js forget <member id> [--opt-out]

Erases what is stored about a member in all servers. The bot may be running or not.
  --opt-out  keeps nothing of the member from now on either`;

await atCommandLine(
  {
    name: 'forget',
    usage,
    options: { 'opt-out': { type: 'boolean', default: false } },
    whenItFails: 'Not all is erased. Started again, it goes on from there.',
  },
  async ({ words: [word, ...more], flags }, open) => {
    if (word === undefined || more.length > 0) throw new CannotStart(usage, 'usage');
    const member = readId(word, usage);
    const bot = await open();
    let isKnown = false;
    for (const guild of await readGuilds(bot.store)) {
      const hasData = await hasDataOf(bot, guild, member);
      const { posts, votes } = await eraseMember(bot, guild, member);
      if (flags['opt-out']) await setOptedOut(bot.store, guild, member, true);
      await finishErasing(bot, guild);
      if (!hasData) continue;
      isKnown = true;
      const what =
        posts + votes > 0
          ? `${posts} articles and ${votes} votes erased.`
          : 'erased what they saved, muted or reported.';
      console.log(`Server ${guild}: ${what}`);
    }
    console.log(isKnown ? 'Done.' : 'Nothing is stored about that member.');
  },
);
