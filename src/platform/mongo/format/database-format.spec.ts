import { MIGRATIONS } from '../../../migrations/migrations.js';
import { FORMAT, OLDEST_SERVED, type Program, refusalOf } from './database-format.js';

const at = new Date();
/** Data after a migration that all programs may serve, one that needs format 7, and one that ends servers of format 6. */
const data = (format: number, oldestProgram: number) => ({ format, oldestProgram, version: '0.9.0', at });
const program = (format: number, oldestServed: number): Program => ({ format, oldestServed, version: '0.8.0' });

describe('a program and the format of the data', () => {
  it.each([
    ['the same format', program(6, 6), data(6, 6), null],
    ['older data that the program serves before `migrate up`', program(7, 6), data(6, 6), null],
    ['older data', program(7, 7), data(6, 6), /serves format 7 or newer: .*`npm run cli -- migrate up`\.$/],
    ['data without a format', program(6, 6), data(0, 0), /has data of format 0 .*make a backup and run/],
    ['newer data that the program may serve', program(6, 6), data(7, 6), null],
    [
      'newer data',
      program(6, 6),
      data(7, 7),
      /was migrated to format 7 by 0\.9\.0, .*install 0\.9\.0 or newer, or restore/,
    ],
    ['data two releases ahead, of which one ends the program', program(6, 6), data(8, 7), /install 0\.9\.0 or newer/],
  ])('%s', (_, own, stored, refusal) => {
    const sentence = refusalOf(stored, 'press', own);
    if (refusal === null) expect(sentence).toBeNull();
    else expect(sentence).toMatch(refusal);
  });
});

describe('the migrations', () => {
  it('are numbered from 1 to the format of the program', () => {
    expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    expect(MIGRATIONS.at(-1)!.number).toBe(FORMAT);
  });

  it('say what changes, and which programs may serve the data afterwards', () => {
    for (const { name, summary, number, oldestProgram } of MIGRATIONS) {
      expect([name, summary.endsWith('.'), oldestProgram <= number]).toEqual([name, true, true]);
    }
    // A program that serves earlier data must not be ended by a migration that ends programs of that format.
    const oldest = Math.max(...MIGRATIONS.map(({ oldestProgram }) => oldestProgram));
    expect([OLDEST_SERVED <= FORMAT, oldest <= FORMAT]).toEqual([true, true]);
  });
});
