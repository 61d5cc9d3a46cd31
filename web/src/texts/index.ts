import { frames as deFrames } from './de/frames.js';
import { de } from './de.js';
import { frames as enFrames } from './en/frames.js';
import { en, type Texts } from './en.js';

const TEXTS: Record<string, Texts> = { en: { ...en, ...enFrames }, de: { ...de, ...deFrames } };

/** Returns the texts of a language tag, or of its main language, or the English ones. The server has all languages. */
export function textsOf(language: string): Texts {
  return TEXTS[language] ?? TEXTS[language.split('-', 1)[0]!] ?? TEXTS['en']!;
}
