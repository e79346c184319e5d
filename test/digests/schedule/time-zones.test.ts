import { describe, expect, test } from 'vitest';
import { parseWeekdays, weekdayNames } from '../../../src/digests/schedule/weekdays.ts';
import { wallTime } from '../../../src/digests/schedule/slots.ts';
import { zoneChoices, zoneNamed, zoneText } from '../../../src/digests/schedule/time-zones.ts';

const noon = Date.UTC(2026, 10, 21, 12);

describe('a zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    [' America/New York ', 'America/New_York'],
    ['new_york', 'America/New_York'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Munich', 'Europe/Berlin'],
    ['北京', 'Asia/Shanghai'],
    ['旧金山', 'America/Los_Angeles'],
    ['Bejing', 'Asia/Shanghai'],
    ['san fransisco', 'America/Los_Angeles'],
    ['Beriln', 'Europe/Berlin'],
    ['new yrok', 'America/New_York'],
    ['EST', 'America/New_York'],
    ['pst', 'America/Los_Angeles'],
    ['BST', 'Europe/London'],
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

  test('a zone is offered by any part of its name, cities first, 25 at most', () => {
    expect(zoneChoices('berl', noon)[0]).toEqual({
      name: 'Europe/Berlin (13:00)',
      value: 'Europe/Berlin',
    });
    expect(zoneChoices('慕尼', noon)[0]?.value).toBe('Europe/Berlin');
    expect(zoneChoices('Bejing', noon).map(({ value }) => value)).toEqual(['Asia/Shanghai']);
    expect(zoneChoices('indiana knox', noon)[0]?.value).toBe('America/Indiana/Knox');
    expect(zoneChoices('GMT+8', noon)).toEqual([{ name: 'UTC+8 (20:00)', value: 'Etc/GMT-8' }]);
    expect(zoneChoices('nowhere at all', noon)).toEqual([]);
  });
});

test('each zone that the bot prints, alone or as a choice, is read when it is typed', () => {
  const offsets = Array.from({ length: 27 }, (_, n) => n - 12).filter((hours) => hours !== 0);
  const zones = [
    ...Intl.supportedValuesOf('timeZone'),
    ...offsets.map((hours) => `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`),
    'UTC',
  ];
  const lost = zones.filter((zone) => {
    const { time } = wallTime(zone, noon);
    return zoneNamed(zoneText(zone)) !== zone || zoneNamed(`${zoneText(zone)} (${time})`) !== zone;
  });
  expect(lost).toEqual([]);
});

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
    ['mon-fri', null],
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
