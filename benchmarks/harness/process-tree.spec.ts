import { parseStat } from './process-tree.js';

describe('parseStat', () => {
  it('is not led astray by a command name with brackets and spaces', () => {
    const fields = [
      'S',
      '7',
      ...Array.from({ length: 9 }, () => '0'),
      '11',
      '12',
      '3',
      '4',
      ...Array.from({ length: 6 }, () => '0'),
      '25',
    ];
    expect(parseStat(42, `42 (a) b (c) ${fields.join(' ')} 0\n`)).toEqual({
      pid: 42,
      parent: 7,
      ownTicks: 23,
      reapedTicks: 7,
      residentBytes: 25 * 4096,
    });
  });
});
