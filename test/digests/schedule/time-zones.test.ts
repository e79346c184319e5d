import { describe, expect, test } from 'vitest';
import { parseWeekdays, weekdayNames } from '../../../src/digests/schedule/weekdays.ts';
import { languages } from '../../../src/text/catalogue.ts';
import {
  readZone,
  zoneChoices,
  zoneNamed,
  zoneText,
} from '../../../src/digests/schedule/time-zones.ts';

const noon = Date.UTC(2026, 10, 21, 12);

const asker = (locale: string) => ({ locale, guild: { preferredLocale: locale } });

describe('a zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    [' America/New York ', 'America/New_York'],
    ['new_york', 'America/New_York'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Munich', 'Europe/Berlin'],
    ['Muenchen', 'Europe/Berlin'],
    ['Łódź', 'Europe/Warsaw'],
    ['lodz', 'Europe/Warsaw'],
    ['ろんどん', 'Europe/London'],
    ['ﾛﾝﾄﾞﾝ', 'Europe/London'],
    ['UK', 'Europe/London'],
    ['Central European Time', 'Europe/Berlin'],
    ['Mitteleuropäische Zeit', 'Europe/Berlin'],
    ['日本標準時', 'Asia/Tokyo'],
    ['heure de Paris', 'Europe/Paris'],
    ['London time', 'Europe/London'],
    ['UTC+5.5', 'Asia/Kolkata'],
    ['北京', 'Asia/Shanghai'],
    ['旧金山', 'America/Los_Angeles'],
    ['EST', 'America/New_York'],
    ['pst', 'America/Los_Angeles'],
    ['KST', 'Asia/Seoul'],
    ['AEST', 'Australia/Sydney'],
    ['MSK', 'Europe/Moscow'],
    ['CEST', 'Europe/Berlin'],
    ['MESZ', 'Europe/Berlin'],
    ['ART', 'America/Argentina/Buenos_Aires'],
    ['東京', 'Asia/Tokyo'],
    ['ロンドン', 'Europe/London'],
    ['Londres', 'Europe/London'],
    ['Moskau', 'Europe/Moscow'],
    ['Bruxelles', 'Europe/Brussels'],
    ['Ciudad de México', 'America/Mexico_City'],
    ['Nueva York', 'America/New_York'],
    ['Roma', 'Europe/Rome'],
    ['Deutschland', 'Europe/Berlin'],
    ['España', 'Europe/Madrid'],
    ['日本', 'Asia/Tokyo'],
    ['Berlin, Germany (13:00)', 'Europe/Berlin'],
    ['São Paulo, Brasil', 'America/Sao_Paulo'],
    ['GMT+8', 'Etc/GMT-8'],
    ['utc -03:00', 'Etc/GMT+3'],
    ['UTC+5:30', 'Asia/Kolkata'],
    ['GMT+5:30', 'Asia/Kolkata'],
    ['+05:30', 'Asia/Kolkata'],
    ['UTC−3', 'Etc/GMT+3'],
    ['UTC−3:30', 'America/St_Johns'],
    ['UTC+0', 'UTC'],
    ['+00:00', 'UTC'],
    ['UTC+5:17', null],
    ['Köln', 'Europe/Berlin'],
    ['koln', 'Europe/Berlin'],
    ['Italy', 'Europe/Rome'],
    ['são paulo', 'America/Sao_Paulo'],
    ['Europe/Berlin (13:00)', 'Europe/Berlin'],
    ['GMT+20', null],
    ['Europe/Atlantis', null],
    ['', null],
    ['UTC; DROP', null],
  ])('the zone %j means %s', (text, expected) => {
    expect(zoneNamed(text)).toBe(expected);
  });

  test.each([
    ['Granada', ['Europe/Madrid', 'America/Grenada']],
    ['AST', ['America/Halifax', 'America/Puerto_Rico', 'Asia/Riyadh']],
    ['NST', ['America/St_Johns', 'Asia/Kathmandu']],
    ['SST', ['Pacific/Pago_Pago', 'Asia/Singapore']],
    ['BST', ['Europe/London', 'Asia/Dhaka']],
    ['Bejing', ['Asia/Shanghai']],
    ['Beriln', ['Europe/Berlin']],
    ['Berlix', ['Europe/Berlin']],
    ['Berlinn', ['Europe/Berlin']],
    ['Stockhlm', ['Europe/Stockholm']],
    ['Stockkholm', ['Europe/Stockholm']],
    ['Stockhalm', ['Europe/Stockholm']],
    ['new yrok', ['America/New_York']],
    ['Paris, Texas', ['Europe/Paris']],
  ])('%j is asked about, since it can mean %j', (text, similar) => {
    const read = readZone(text);
    expect(read).toEqual({ zone: null, similar: expect.arrayContaining(similar) });
  });

  test('what is two letters away from each city is near none of them', () => {
    expect(readZone('Berixn')).toEqual({ zone: null, similar: [] });
  });

  test('the zone without an offset is called UTC', () => {
    expect(['UTC', 'Etc/GMT+0', 'Etc/GMT-0'].map((zone) => zoneText(zone, 'en'))).toEqual(
      Array(3).fill('UTC'),
    );
  });

  test('of a country with people in several zones it is asked which', () => {
    for (const name of ['USA', 'United States', 'Estados Unidos', 'Россия', 'Russland', 'ロシア']) {
      expect(readZone(name).zone).toBe(null);
    }
    expect(readZone('Russland')).toMatchObject({
      similar: expect.arrayContaining(['Europe/Moscow']),
    });
  });

  test('a zone is offered by an abbreviation of several places, of which it is one, before what begins with it', () => {
    const offered = zoneChoices('IST', asker('en'), noon).map(({ value }) => value);
    expect(offered.slice(0, 3)).toEqual(['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem']);
    expect(offered).toContain('Europe/Istanbul');
  });

  test('a zone is offered by any part of its name, cities first, 25 at most', () => {
    expect(zoneChoices('berl', asker('en-GB'), noon)[0]).toEqual({
      name: 'Berlin, Germany (13:00)',
      value: 'Europe/Berlin',
    });
    expect(zoneChoices('慕尼', asker('zh-CN'), noon)[0]?.value).toBe('Europe/Berlin');
    expect(zoneChoices('Bejing', asker('en'), noon).map(({ value }) => value)).toEqual([
      'Asia/Shanghai',
    ]);
    expect(zoneChoices('indiana knox', asker('en'), noon)[0]?.value).toBe('America/Indiana/Knox');
    expect(zoneChoices('GMT+8', asker('en'), noon)).toEqual([
      { name: 'UTC+8 (20:00)', value: 'Etc/GMT-8' },
    ]);
    // A server whose language nobody chose has its asker's; the zone of most who speak it comes first.
    const first = (locale: string, preferredLocale: string) =>
      zoneChoices('', { locale, guild: { preferredLocale } }, noon)[0]?.value;
    expect([first('en-US', 'ko'), first('de', 'en-US')]).toEqual(['Asia/Seoul', 'Europe/Berlin']);
    expect(zoneChoices('nowhere at all', asker('en'), noon)).toEqual([]);
    expect(zoneChoices('san', asker('en'), noon)).toHaveLength(25);
  });

  test.each([
    ['spain', 'Europe/Madrid', 'America/Port_of_Spain'],
    ['georgia', 'Asia/Tbilisi', 'Atlantic/South_Georgia'],
    ['germ', 'Europe/Berlin', 'Europe/Busingen'],
    ['ngeles', 'America/Los_Angeles', undefined],
  ])(
    'a zone is offered by its country before one that has the word in its name, the greatest first: %s',
    (text, first, later) => {
      const offered = zoneChoices(text, asker('en'), noon).map(({ value }) => value);
      expect(offered[0]).toBe(first);
      expect([undefined, ...offered]).toContain(later);
    },
  );
});

const place = (zone: string) =>
  new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

test.each([...languages.keys()])(
  'each zone is read by the city that the bot prints for it in %s, or asked about with others',
  (locale) => {
    const offsets = Array.from({ length: 27 }, (_, n) => n - 12).filter((hours) => hours !== 0);
    const zones = [
      ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/')),
      ...offsets.map((hours) => `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`),
      'UTC',
    ];
    const lost = zones.filter((zone) => {
      const read = readZone(zoneText(zone, locale));
      const found = read.zone === null ? read.similar : [read.zone];
      return !found.map(place).includes(place(zone));
    });
    expect(lost).toEqual([]);
    expect(zones.filter((zone) => place(zoneNamed(zone) ?? 'UTC') !== place(zone))).toEqual([]);
    for (const { name, value } of zoneChoices('', asker(locale), noon))
      expect(zoneNamed(name)).toBe(value);
  },
);

describe('weekdays', () => {
  test.each([
    ['mon, thu', [1, 4]],
    ['Thursday Monday', [1, 4]],
    ['周一、周四', [1, 4]],
    ['星期日', [7]],
    ['六,日', [6, 7]],
    ['mo, do', [1, 4]],
    ['lun, jeu.', [1, 4]],
    ['1 4', [1, 4]],
    ['lun, jue', [1, 4]],
    ['seg., qui', [1, 4]],
    ['segunda-feira sexta-feira', [1, 5]],
    ['mon-fri', [1, 2, 3, 4, 5]],
    ['週一至週五', [1, 2, 3, 4, 5]],
    ['MWF', [1, 3, 5]],
    ['lu-vi', [1, 2, 3, 4, 5]],
    ['2ª a 6ª', [1, 2, 3, 4, 5]],
    ['Montag bis einschließlich Freitag', [1, 2, 3, 4, 5]],
    ['weekdays', [1, 2, 3, 4, 5]],
    ['Mon and Thu', [1, 4]],
    ['tues', [2]],
    ['Tues & thurs.', [2, 4]],
    ['Mondays, Wednesdays', [1, 3]],
    ['Monday through Friday', [1, 2, 3, 4, 5]],
    ['fri-mon', [1, 5, 6, 7]],
    ['Mo–Fr', [1, 2, 3, 4, 5]],
    ['Montag bis Mittwoch und Sonntag', [1, 2, 3, 7]],
    ['montags', [1]],
    ['lun-ven', [1, 2, 3, 4, 5]],
    ['du lundi au vendredi', [1, 2, 3, 4, 5]],
    ['lunes a viernes', [1, 2, 3, 4, 5]],
    ['miércoles y sábado', [3, 6]],
    ['segunda a sexta', [1, 2, 3, 4, 5]],
    ['terça e quinta-feira', [2, 4]],
    ['sábados', [6]],
    ['月・木', [1, 4]],
    ['月水金', [1, 3, 5]],
    ['月曜から金曜まで', [1, 2, 3, 4, 5]],
    ['月～金', [1, 2, 3, 4, 5]],
    ['周一到周五', [1, 2, 3, 4, 5]],
    ['每周一和周四', [1, 4]],
    ['星期天', [7]],
    ['工作日', [1, 2, 3, 4, 5]],
    ['周末', [6, 7]],
    ['1-5', [1, 2, 3, 4, 5]],
    ['weekend', [6, 7]],
    ['mon-', null],
    ['monkey', null],
    ['8', null],
    ['12', null],
    ['m', null],
    ['t', null],
    ['someday', null],
    ['', null],
  ])('the weekdays %j are %j', (text, expected) => {
    expect(parseWeekdays(text)).toEqual(expected);
  });

  test('weekdays are named in the reader’s language', () => {
    expect(weekdayNames('en-GB', [1, 4])).toBe('Monday and Thursday');
    expect(weekdayNames('zh-CN', [1, 4])).toBe('星期一和星期四');
  });
});
