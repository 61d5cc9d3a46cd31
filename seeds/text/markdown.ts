import type { PostType } from '../../src/posts/post-types.js';
import type { Random } from '../sampling/random.js';
import { CODE_BLOCKS, FORMULAS, HEADINGS } from '../words/english.js';
import { PHRASEBOOKS } from '../words/other-languages.js';
import { englishSentences } from './sentence-pool.js';

/** UTF-16 units; English is ASCII, so for most texts these are bytes too. */
const LONG_LENGTH = { from: 8_300, to: 13_700 };
const SHORT_LENGTH = { from: 700, to: 5_500 };
const POEM_LENGTH = { from: 250, to: 1_400 };
// Characters outside ASCII take two or three bytes; this keeps a long text below 15 kB in every language.
const UNITS_PER_BYTE: Readonly<Record<string, number>> = { ru: 0.56, ar: 0.58, hi: 0.4, zh: 0.36, ja: 0.36, ko: 0.42 };

export interface TextRequest {
  type: PostType;
  language: string;
  isLong: boolean;
}

/** Writes Markdown of the wanted size. Everything random comes from the generator the caller hands in. */
export class MarkdownWriter {
  private readonly english: readonly string[];

  constructor(seed: number) {
    this.english = englishSentences(seed);
  }

  body(random: Random, request: TextRequest): string {
    const range = request.isLong ? LONG_LENGTH : request.type === 'poem' ? POEM_LENGTH : SHORT_LENGTH;
    const scale = UNITS_PER_BYTE[request.language] ?? 1;
    const length = random.between(range.from, range.to) * scale;
    if (request.type === 'poem' && !request.isLong) return this.poem(random, request.language, length);

    const headings = PHRASEBOOKS[request.language]?.headings ?? HEADINGS;
    const isTechnical = request.type === 'research-paper' || request.type === 'article';
    const firstHeading = random.int(headings.length);
    let text = this.paragraph(random, request.language);
    for (let section = 0; text.length < length; section++) {
      text += `\n\n## ${headings[(firstHeading + section) % headings.length]!}\n\n`;
      const end = Math.min(length, text.length + random.between(900, 2_200) * scale);
      do {
        text += this.block(random, request, isTechnical) + '\n\n';
      } while (text.length < end);
      text = text.trimEnd();
    }
    return text + '\n';
  }

  /** A few sentences on one line, at most `maxLength` units: a comment, a biography. */
  remark(random: Random, language: string, sentences: number, maxLength: number): string {
    const pool = this.sentencesOf(language);
    let text = random.pick(pool);
    const space = PHRASEBOOKS[language]?.space ?? ' ';
    for (let i = 1; i < sentences; i++) {
      const next = random.pick(pool);
      if (text.length + next.length + 1 > maxLength) break;
      text += space + next;
    }
    return text;
  }

  private sentencesOf(language: string): readonly string[] {
    return PHRASEBOOKS[language]?.sentences ?? this.english;
  }

  private paragraph(random: Random, language: string): string {
    return this.remark(random, language, random.between(2, 7), 2_000);
  }

  private block(random: Random, { language, isLong }: TextRequest, isTechnical: boolean): string {
    const draw = random.float();
    const pool = this.sentencesOf(language);
    if (draw < 0.12) return Array.from({ length: random.between(3, 6) }, () => `- ${random.pick(pool)}`).join('\n');
    if (draw < 0.17)
      return Array.from({ length: random.between(3, 5) }, (_, i) => `${i + 1}. ${random.pick(pool)}`).join('\n');
    if (draw < 0.21) return `> ${random.pick(pool)}`;
    if (isTechnical || isLong) {
      if (draw < 0.28) return random.pick(CODE_BLOCKS);
      if (draw < 0.35) return `$$\n${random.pick(FORMULAS)}\n$$`;
      if (draw < 0.38) return `${random.pick(pool)} The estimate is $${random.pick(FORMULAS)}$.`;
      if (draw < 0.4) return this.table(random);
    }
    return this.paragraph(random, language);
  }

  private table(random: Random): string {
    const rows = Array.from(
      { length: random.between(3, 6) },
      (_, i) => `| site ${i + 1} | ${random.between(12, 900)} | ${(random.float() * 10).toFixed(2)} |`,
    );
    return ['| place | n | mean |', '| --- | ---: | ---: |', ...rows].join('\n');
  }

  private poem(random: Random, language: string, length: number): string {
    const pool = this.sentencesOf(language);
    let text = '';
    while (text.length < length) {
      const verse = Array.from({ length: 4 }, () => random.pick(pool).replace(/[.,;]$/, ''));
      text += (text && '\n\n') + verse.join('  \n');
    }
    return text + '\n';
  }
}
