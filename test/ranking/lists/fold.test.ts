import { describe, expect, test } from 'vitest';
import { containsWords, folded } from '../../../src/ranking/lists/fold.ts';

const finds = (words: string, title: string) => containsWords(title, folded(words).split(/\s+/));

describe('words find a title', () => {
  test.each([
    ['redis', 'REDIS 8'],
    ['STRASSE', 'Die Straße'],
    ['straße', 'DIE STRASSE'],
    ['Straße', 'Die STRAẞE'],
    ['istanbul', 'İstanbul'],
    ['İSTANBUL', 'istanbul'],
    ['isik', 'Işık'],
    ['IŞIK', 'ışık'],
    ['ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς'],
    ['οδυσσευς', 'Ὀδυσσεύς'],
    ['ёлка', 'ЁЛКА'],
    ['елка', 'Ёлка'],
    ['cafe', 'Café'],
    ['cafe', 'Cafe\u0301'],
    ['CAFÉ', 'café'],
    ['uber', 'Über uns'],
    ['sao paulo', 'São Paulo'],
    ['pho', 'Phở'],
    ['da nang', 'Đà Nẵng'],
    ['smorrebrod', 'Smørrebrød'],
    ['lodz', 'Łódź'],
    ['naive', 'naïve'],
    ["don't", 'Don’t'],
    ['don’t', "Don't"],
    ['don‘t', 'Don′t'],
    ['"hello"', '“Hello”'],
    ['«hello»', '"hello"'],
    ['self-hosted', 'Self‑hosted'],
    ['self–hosted', 'self-hosted'],
    ['1914-1918', '1914–1918'],
    ['a-b', 'a−b'],
    ['ＡＢＣ', 'abc'],
    ['abc', 'ＡＢＣ'],
    ['ｶﾞｲﾄﾞ', 'ガイド'],
    ['ガイド', 'ｶﾞｲﾄﾞ'],
    ['かたかな', 'カタカナ'],
    ['カタカナ', 'かたかな'],
    ['サーバー', 'サーバ'],
    ['サーバ', 'サーバー'],
    ['nodejs', 'Node.js 24 is out'],
    ['gpt4o', 'Fine-tuning GPT-4o'],
    ['dont', "Don't panic"],
    ['tcpip', 'TCP/IP, illustrated'],
    ['node.js', 'Node.js'],
    ['fi', 'ﬁnal'],
    ['한국', '한국어'],
    ['میخواهم', 'می\u200cخواهم'],
    ['کتاب', 'کِتاب'],
    ['...', 'wait…'],
    ['news today', 'Today’s NEWS'],
  ])('the words %j find the title %j', (words, title) => {
    expect(finds(words, title)).toBe(true);
  });

  test.each([
    ['redis', 'Postgres'],
    ['café', 'cafe'],
    ['が', 'か'],
    ['か', 'が'],
    ['straße', 'Strase'],
    ['a-b', 'ab'],
    ['nodejs', 'Node, JS'],
    ['ab', 'a - b'],
    ["don't", 'dont'],
    ['news today', 'News of yesterday'],
    ['한', '하나'],
  ])('the words %j do not find the title %j', (words, title) => {
    expect(finds(words, title)).toBe(false);
  });
});
