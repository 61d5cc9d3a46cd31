import type { PublicTexts, Texts } from './en.js';

const PUBLIC: Record<string, () => Promise<PublicTexts>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
};
const FRAMES: Record<string, () => Promise<Omit<Texts, keyof PublicTexts>>> = {
  en: async () => (await import('./en/frames.js')).frames,
  de: async () => (await import('./de/frames.js')).frames,
};

/** Loads the texts of public pages in the first language that has them, or in English. */
export function loadPublicTexts(languages: readonly string[]): Promise<PublicTexts> {
  return PUBLIC[knownOf(languages)]!();
}

/** Loads the texts of all pages. */
export async function loadTexts(languages: readonly string[]): Promise<Texts> {
  const [texts, frames] = await Promise.all([loadPublicTexts(languages), FRAMES[knownOf(languages)]!()]);
  return { ...texts, ...frames };
}

function knownOf(languages: readonly string[]): string {
  return languages.map((language) => language.split('-', 1)[0]!).find((language) => language in PUBLIC) ?? 'en';
}
