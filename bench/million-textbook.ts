import type { Redis } from 'ioredis';
import { CHANNELS, memberId, text } from './material.ts';
import * as textbook from './textbook.ts';

const STEP = 1000;

/** Writes the textbook's articles in bulk, with the same keys as after its posts. */
export async function fillMillion(redis: Redis, count: number, now: number): Promise<void> {
  for (let from = 1; from <= count; from += STEP) {
    const numbers = Array.from({ length: Math.min(STEP, count + 1 - from) }, (_, i) => from + i);
    const time = (n: number) =>
      Math.floor(now / 1000) - 518_400 + Math.floor((n / count) * 518_400);
    const pipeline = redis.pipeline();
    pipeline.zadd('time:', ...numbers.flatMap((n) => [time(n), name(n)]));
    pipeline.zadd('score:', ...numbers.flatMap((n) => [time(n) + 432, name(n)]));
    for (const [i, channel] of CHANNELS.entries()) {
      const inChannel = numbers.filter((n) => n % CHANNELS.length === i).map(name);
      if (inChannel.length > 0) pipeline.sadd(textbook.groupOf(channel), ...inChannel);
    }
    for (const n of numbers) {
      const { title, link } = text(n);
      pipeline.hset(name(n), { title, link, poster: memberId(n), time: time(n), votes: 1 });
    }
    const replies = await pipeline.exec();
    const failed = replies?.find(([error]) => error !== null);
    if (failed) throw failed[0]!;
  }
}

function name(n: number): string {
  return `article:${n}`;
}
