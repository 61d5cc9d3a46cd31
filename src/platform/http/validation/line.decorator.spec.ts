import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsLine, IsTitle } from './line.decorator.js';
import { IsTime } from './time.decorator.js';

class Title {
  @IsTitle(20)
  text!: string;
}
class Line {
  @IsLine(20)
  text!: string;
}
class Time {
  @IsTime()
  text!: string;
}

const isValid = (dto: new () => object, text: unknown): boolean =>
  validateSync(plainToInstance(dto, { text })).length === 0;

describe('a one-line text', () => {
  it.each([
    ['a letter', 'a'],
    ['an emoji of several characters', '👩‍👩‍👧'],
    ['a mark on a letter', 'e\u0301'],
    ['a joiner in Persian', 'می‌خواهم'],
    ['a word beside invisible characters', '\u200bword\u00ad'],
    ['a sign', '?'],
    ['twenty characters', '文'.repeat(20)],
  ])('may be %s', (_, text) => {
    expect([isValid(Title, text), isValid(Line, text)]).toEqual([true, true]);
  });

  it.each([
    ['a zero-width space', '\u200b'],
    ['soft hyphens and joiners', '\u00ad\u2060\u200d'],
    ['the filler of Hangul', '\u3164'],
    ['the blank of braille', '\u2800\u2800'],
    ['a mark without a letter', '\u0301'],
    ['variation selectors', '\ufe0f'],
    ['tags', '\u{e0061}'],
    ['two lines', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['a turn of direction', 'a\u202eb'],
    ['a control character', 'a\u0007'],
    ['too many characters', 'a'.repeat(21)],
    ['a number', 7],
  ])('is never %s', (_, text) => {
    expect([isValid(Title, text), isValid(Line, text)]).toEqual([false, false]);
  });

  it('may be empty unless it is a title', () => {
    for (const text of ['', '  ']) expect([isValid(Title, text), isValid(Line, text)]).toEqual([false, true]);
  });
});

describe('a time in a body', () => {
  it.each([
    '2028-02-29T00:00:00Z',
    '2027-01-31T23:59Z',
    '2027-01-31T09:00:00.5+05:45',
    '2027-12-31T23:59:59.999-12:00',
    // Python's isoformat()
    '2027-12-31T23:59:59.123456+00:00',
  ])('may be %s', (text) => expect(isValid(Time, text)).toBe(true));

  it.each([
    '2027-01-31',
    '2027-01-31T09:00:00',
    '2027-01-31 09:00:00Z',
    '2027-01-31T09:00:00+0100',
    'tomorrow',
    7,
    null,
  ])('is never %s', (text) => expect(isValid(Time, text)).toBe(false));

  it('has a day that its month has, and a time that the day has', () => {
    for (const year of [2027, 2028, 2100])
      for (let month = 0; month <= 13; month++)
        for (let day = 0; day <= 32; day++) {
          const two = (part: number) => String(part).padStart(2, '0');
          const date = new Date(Date.UTC(year, month - 1, day));
          const isReal =
            date.getUTCMonth() === month - 1 && date.getUTCFullYear() === year && date.getUTCDate() === day;
          const text = `${year}-${two(month)}-${two(day)}`;
          expect([text, isValid(Time, `${text}T12:00:00Z`)]).toEqual([text, isReal]);
        }
    for (const time of ['24:00:00Z', '23:60:00Z', '23:59:60Z', '12:00:00+24:00', '12:00:00+01:60'])
      expect([time, isValid(Time, `2027-01-31T${time}`)]).toEqual([time, false]);
  });
});
