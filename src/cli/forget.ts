import { atCommandLine, Refused } from './command-line.ts';
import { forgetEverywhere } from '../privacy/forget.ts';
import { zSnowflake } from '../ranking/snowflake.ts';

const usage = `Usage: npm run forget -- <member id> [--opt-out]

Erases what is kept of a member in all servers. The bot may be running or not.
  --opt-out  keeps nothing of the member from now on either`;

await atCommandLine(
  {
    name: 'forget',
    usage,
    options: { 'opt-out': { type: 'boolean', default: false } },
    whenItFails: 'Not all is erased. Started again, it goes on from there.',
  },
  async ({ words, flags }, { config, clock, log, connect }) => {
    const member = zSnowflake.safeParse(words[0]);
    if (!member.success) throw new Refused(usage);
    const redis = await connect();
    const settings = { ...config, redis, clock, log, optOut: flags['opt-out'] };
    const done = await forgetEverywhere(settings, member.data);
    for (const { guild, posts, votes } of done) {
      console.log(`Server ${guild}: ${posts} articles and ${votes} votes erased.`);
    }
    console.log(done.length === 0 ? 'Nothing is kept of that member.' : 'Done.');
  },
);
