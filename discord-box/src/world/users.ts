import type { User, World } from '../model/world.ts';
import type { Snowflake } from '../model/snowflakes.ts';

export function addUser(
  world: World,
  user: { username: string; id?: Snowflake; globalName?: string; bot?: boolean; locale?: string },
): User {
  const added: User = {
    id: user.id ?? world.snowflake(),
    username: user.username,
    globalName: user.globalName ?? null,
    bot: user.bot ?? false,
    locale: user.locale ?? 'en-US',
  };
  world.users.set(added.id, added);
  return added;
}
