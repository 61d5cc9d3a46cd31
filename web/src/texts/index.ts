import { de } from './de.js';
import { en, type Texts } from './en.js';

const TEXTS: Record<string, Texts> = { en, de };

/** Returns the texts of a language tag, or of its main language, or the English ones. The server has all languages. */
export function textsOf(language: string): Texts {
  return TEXTS[language] ?? TEXTS[language.split('-', 1)[0]!] ?? en;
}
