import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsFullName } from './profile-rules.js';

class Named {
  @IsFullName()
  fullName!: string;
}

const isRight = (fullName: string): boolean => validateSync(plainToInstance(Named, { fullName })).length === 0;

describe('a display name', () => {
  it.each([
    ['Persian, with a joiner in it', 'علی‌رضا'],
    ['Sinhala, with a joiner in it', 'ශ්‍රී'],
    ['a family', 'Ada 👩‍👩‍👧‍👦'],
    ['a heart in color', 'Ada ❤️'],
    ['a person of a skin', 'Ada 👩🏽‍🚀'],
    ['a flag', 'Ada 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['marks on a letter', 'Q\u0323\u0307'],
  ])('may be %s', (_, name) => expect(isRight(name)).toBe(true));

  it.each([
    ['a space of no width', 'Ada\u200b Lovelace'],
    ['a joiner between Latin letters', 'Ad\u200da'],
    ['a soft hyphen', 'Ad\u00ada'],
    ['a filler', '\u3164'],
    ['the blank of braille', '\u2800'],
    ['tags', 'Ada\u{e0041}'],
    ['a byte order mark', 'Ada\ufeff!'],
  ])('has no place for %s', (_, name) => expect(isRight(name)).toBe(false));
});
