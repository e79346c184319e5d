import { MessageFlags } from 'discord.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chosen } from '../../../src/digest/content/select.ts';
import { type EditionMessage, editionMessages } from '../../../src/digest/content/message.ts';
import { plainText } from '../../../src/text/clean.ts';
import { zDigest } from '../../../src/records/digests/digest.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const digest = zDigest.parse({
  channel: '9',
  schedule: { every: 'day', time: '12:00', zone: 'UTC' },
});

function chosen(title: string, at = 0): Chosen {
  const postedAtMs = noon - at * 60_000;
  return {
    movedBy: null,
    article: {
      id: `${1_200_000_000_000_000_000n + BigInt(at)}`,
      title,
      link: 'https://news.example.com/story',
      poster: '1100000000000000001',
      channel: '1100000000000000002',
      home: '1100000000000000002',
      groups: ['1100000000000000002'],
      postedAtMs,
      closesAtMs: postedAtMs,
      up: 12,
      down: 3,
      score: 0,
      interesting: at === 0,
      locked: false,
      closed: false,
      listed: true,
    },
  };
}

function message(titles: string[], more: Partial<EditionMessage> = {}): EditionMessage {
  return {
    guild: '1100000000000000003',
    name: 'daily',
    digest,
    locale: 'en-US',
    period: { fromMs: noon - 86_400_000, untilMs: noon },
    date: '2026-11-21',
    chosen: titles.map(chosen),
    groupNames: {},
    tag: (page, pages) => `daily · ${page}/${pages}`,
    ...more,
  };
}

describe('a digest', () => {
  test('reads well in a notification and whole in the channel', () => {
    const [body] = editionMessages(message(['First', 'Second', 'Third', 'Fourth', 'Fifth']));
    expect(body?.content).toBe(
      '**Daily digest · Saturday, November 21, 2026**\n1. First\n2. Second\n3. Third\n… and 2 more',
    );
    const [embed] = body?.embeds ?? [];
    expect(embed?.description).toBe(
      `Posted from <t:${noon / 1000 - 86_400}:f> to <t:${noon / 1000}:f>`,
    );
    expect(embed?.fields?.[0]).toEqual({
      name: '1. First',
      value: `▲ 12 ▼ 3 · ★ · <@1100000000000000001> · <t:${noon / 1000}:R> · \`news.example.com\`\nhttps://discord.com/channels/1100000000000000003/1100000000000000002/1200000000000000000`,
    });
    expect(embed?.fields?.[4]?.value).not.toContain('★');
    expect(embed?.footer?.text).toBe('daily · 1/1');
  });

  test('is in the language of the digest', () => {
    const [body] = editionMessages(message(['First'], { locale: 'zh-CN', name: 'science' }));
    expect(body?.content).toBe('**精选 science · 2026年11月21日星期六**\n1. First');
  });

  test('of twenty-five usual articles is one message', () => {
    const titles = Array.from(
      { length: 25 },
      (_, at) => `A title of the usual length, that is to say ${at}`,
    );
    expect(editionMessages(message(titles))).toHaveLength(1);
  });

  test('pings nobody but the role that was chosen, once', () => {
    const titles = Array.from({ length: 25 }, () => '@everyone <@1> <@&2> '.repeat(12));
    const silent = { ...digest, role: '7', silent: true };
    const bodies = editionMessages(message(titles, { digest: silent }));
    expect(bodies.length).toBeGreaterThan(1);
    expect(bodies.map((body) => body.allowed_mentions)).toEqual([
      { parse: [], roles: ['7'] },
      ...bodies.slice(1).map(() => ({ parse: [], roles: [] })),
    ]);
    expect(bodies[0]?.content?.startsWith('<@&7> ')).toBe(true);
    expect(bodies.every(({ flags }) => flags === MessageFlags.SuppressNotifications)).toBe(true);
  });

  test('keeps within Discord’s limits and loses no article, whatever the titles', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 256 }), { maxLength: 25 }),
        (titles) => {
          const bodies = editionMessages(message(titles));
          const fields = bodies.flatMap(({ embeds }) => embeds?.[0]?.fields ?? []);
          expect(fields.map(({ name }) => Number.parseInt(name, 10))).toEqual(
            titles.map((_, at) => at + 1),
          );
          for (const { content, embeds } of bodies) {
            const [embed] = embeds ?? [];
            const size =
              (embed?.description?.length ?? 0) +
              (embed?.footer?.text.length ?? 0) +
              (embed?.fields ?? []).reduce(
                (sum, { name, value }) => sum + name.length + value.length,
                0,
              );
            expect(content?.length).toBeLessThanOrEqual(2000);
            expect(size).toBeLessThanOrEqual(6000);
            for (const { name, value } of embed?.fields ?? []) {
              expect(name.length).toBeLessThanOrEqual(256);
              expect(value.length).toBeLessThanOrEqual(1024);
            }
          }
        },
      ),
    );
  });
});

describe('a title in the text', () => {
  test.each([
    ['[free](https://evil.example)', '\\[free\\](https\\://evil.example)'],
    ['<https://evil.example>', '\\<https\\://evil.example\\>'],
    [
      '**bold** _it_ ~~no~~ ||spoiler|| `code`',
      '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\|\\|spoiler\\|\\| \\`code\\`',
    ],
    ['@everyone and @here', '\\@everyone and \\@here'],
    ['<@1> <#2> <t:0:R>', '\\<@1\\> \\<#2\\> \\<t:0:R\\>'],
    ['two\nlines\u202e and \u200bmore', 'two lines and more'],
    ['back\\slash', 'back\\\\slash'],
    ['C++ (2026): what is new?', 'C++ (2026): what is new?'],
  ])('%j is shown letter for letter', (title, expected) => {
    expect(plainText(title, 80)).toBe(expected);
  });
});
