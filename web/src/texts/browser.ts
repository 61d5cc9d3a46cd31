import type { Texts } from './en.js';

const LANGUAGES: Record<string, () => Promise<Texts>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
};

/** Loads the texts of the first language that has them, or the English ones. */
export function loadTexts(languages: readonly string[]): Promise<Texts> {
  const known = languages.map((language) => language.split('-', 1)[0]!).find((language) => language in LANGUAGES);
  return LANGUAGES[known ?? 'en']!();
}
