import { seededRandom } from '../../../discord-box/src/index.ts';
import type { Scene } from '../../fixtures/scene.ts';

/** Members who react at random, always the same for a seed. */
type RandomReactions = {
  /** Adds and removes `count` reactions. */
  react(count: number): void;
};

const plain = ['👍', '👍', '👍', '👎', '👎'];

export function randomReactions(
  scene: Scene,
  seed: number,
  {
    articles,
    members,
    variants = false,
  }: {
    articles: readonly string[];
    members: readonly string[];
    /** Skin tones and super reactions too: each taken back makes the bot ask Discord, which takes long. */
    variants?: boolean;
  },
): RandomReactions {
  const random = seededRandom(seed);
  const emojis = variants ? [...plain, '👍🏽'] : plain;
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
  return {
    react(count) {
      for (let n = 0; n < count; n += 1) {
        const [article, member, emoji] = [pick(articles), pick(members), pick(emojis)];
        const burst = variants && random.below(20) === 0;
        if (random.below(3) > 0) scene.react(member, article, emoji, burst);
        else scene.unreact(member, article, emoji, burst);
      }
    },
  };
}

/** The bot has taken in all that was said until now. */
export async function heardAll(scene: Scene): Promise<void> {
  const [witness = ''] = await scene.plant(scene.sandbox.channels.general.id);
  const [member = ''] = scene.crowd(1);
  scene.react(member, witness, '👍');
  await scene.agree([witness]);
}
