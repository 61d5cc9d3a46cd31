import { ARABIC } from './arabic.js';
import { CHINESE } from './chinese.js';
import { FRENCH } from './french.js';
import { GERMAN } from './german.js';
import { HINDI } from './hindi.js';
import { JAPANESE } from './japanese.js';
import { KOREAN } from './korean.js';
import type { Language } from './language.js';
import { RUSSIAN } from './russian.js';
import { SPANISH } from './spanish.js';

export const OTHER_LANGUAGES: Readonly<Record<string, Language>> = {
  es: SPANISH,
  de: GERMAN,
  fr: FRENCH,
  ru: RUSSIAN,
  ar: ARABIC,
  hi: HINDI,
  zh: CHINESE,
  ja: JAPANESE,
  ko: KOREAN,
};
