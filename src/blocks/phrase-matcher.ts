import { fold } from '../common/fold.js';
import { comparedWordsOf, wordsOf } from '../common/words.js';
import type { FilterAction } from './content-filter.schema.js';

/** A filter whose phrase is in a text, as responses contain it. */
export type Filtered = { id: string; phrase: string };
/** @param endsAt in ms; Infinity without an end */
export type Phrase = Filtered & { isWholeWord: boolean; action: FilterAction; endsAt: number };

const NONE: Filtered[] = [];
/** Separates texts. No form of a phrase contains it. */
const BREAK = '\n';

/** Matches texts with the phrases of a viewer, in time linear in the length of the texts. */
export class PhraseMatcher {
  private readonly phrases: (Phrase & { form: string })[];

  constructor(phrases: readonly Phrase[]) {
    this.phrases = phrases.map((phrase) => {
      // A phrase of signs only has no words.
      const isWholeWord = phrase.isWholeWord && wordsOf(phrase.phrase).length > 0;
      return { ...phrase, isWholeWord, form: isWholeWord ? wordsIn(phrase.phrase) : keyOf(phrase.phrase) };
    });
  }

  get isEmpty(): boolean {
    return this.phrases.length === 0;
  }

  /** Returns the filters with a phrase in one of the texts, or `hidden` if one of them hides. */
  match(...texts: string[]): 'hidden' | Filtered[] {
    if (this.isEmpty) return NONE;
    const now = Date.now();
    const words = texts.map(wordsIn).join(BREAK);
    const letters = texts.map(lettersIn).join(BREAK);
    const found = this.phrases.filter(
      ({ endsAt, isWholeWord, form }) => endsAt > now && (isWholeWord ? words : letters).includes(form),
    );
    if (found.some(({ action }) => action === 'hide')) return 'hidden';
    return found.map(({ id, phrase }) => ({ id, phrase }));
  }
}

/** Returns the canonical spelling of a phrase. It is empty if the phrase has no letters and signs. */
export function keyOf(phrase: string): string {
  return lettersIn(phrase).trim();
}

/** Returns the words of a text, each between spaces. */
function wordsIn(text: string): string {
  return ` ${comparedWordsOf(text).join(' ')} `;
}

function lettersIn(text: string): string {
  return fold(text).replace(/\s+/g, ' ');
}
