import { dateOf, tagsOf } from './to-post.js';

describe('a date of an archive', () => {
  it.each([
    ['2020-01-02', '2020-01-02T00:00:00.000Z'],
    ['2020-01-02 03:04:05', '2020-01-02T03:04:05.000Z'],
    ['2020-01-02 03:04:05 +0100', '2020-01-02T02:04:05.000Z'],
    ['2020-01-02T03:04:05.678-05:00', '2020-01-02T08:04:05.678Z'],
    ['2020-01-02 03:04 UTC', '2020-01-02T03:04:00.000Z'],
    ['Thu, 02 Jan 2020 03:04:05 +0000', '2020-01-02T03:04:05.000Z'],
    ['Thu Jan 02 2020 03:04:05 GMT+0100 (Central European Standard Time)', '2020-01-02T02:04:05.000Z'],
    ['January 2, 2020', '2020-01-02T00:00:00.000Z'],
    ['2 January 2020', '2020-01-02T00:00:00.000Z'],
    [1_577_934_245_000, '2020-01-02T03:04:05.000Z'],
  ])('%j is %s in every time zone', (value, iso) => expect(dateOf(value)?.toISOString()).toBe(iso));

  it.each([[undefined], [null], [''], ['0000-00-00 00:00:00']])('%j is absent', (value) =>
    expect(dateOf(value)).toBeNull(),
  );

  it.each([
    ['someday'],
    ['2020-02-31'],
    ['2020-13-01'],
    ['2020-01-02T25:00:00'],
    ['hello 5'],
    ['5'],
    [{ year: 2020 }],
    [[]],
    [1e300],
    [`2020-01-02${' '.repeat(200)}x`],
  ])('%j is no date', (value) => expect(dateOf(value)).toBeUndefined());
});

it.each([
  ['a, b c,, d', ['a', 'b c', '', 'd']],
  ['a b', ['a', 'b']],
  [
    [' a ', 7, { b: 1 }],
    ['a', '7', ''],
  ],
  [undefined, ['']],
])('tags %j are %j', (value, tags) => expect(tagsOf(value)).toEqual(tags));
