import type { PostType } from '../../src/posts/post-types.js';
import type { Random } from '../sampling/random.js';
import { CODE_BLOCKS, FORMULAS, TOPICS } from '../words/english.js';
import { fillPattern } from '../words/vocabulary.js';
import { isWritten, type Material, type SentencePools, type Subject } from './sentence-pool.js';

/** UTF-16 units. English is ASCII, so for most texts these are bytes too. */
const LONG_LENGTH = { from: 8_300, to: 13_700 };
const SHORT_LENGTH = { from: 700, to: 5_500 };
// Has no common divisor with the number of headings, so a text has headings of both halves of the list.
const HEADING_STEP = 13;
const POEM_LENGTH = { from: 250, to: 1_400 };
// Characters outside ASCII take two or three bytes. These factors limit a long text to 15 kB in every language.
const UNITS_PER_BYTE: Readonly<Record<string, number>> = { ru: 0.56, ar: 0.58, hi: 0.4, zh: 0.36, ja: 0.36, ko: 0.42 };

export interface TextRequest {
  type: PostType;
  subject: Subject;
  isLong: boolean;
}

/** Writes Markdown of the wanted size. All randomness comes from the given generator. */
export class MarkdownWriter {
  constructor(private readonly pools: SentencePools) {}

  body(random: Random, { type, subject, isLong }: TextRequest): string {
    const range = isLong ? LONG_LENGTH : type === 'poem' ? POEM_LENGTH : SHORT_LENGTH;
    const scale = UNITS_PER_BYTE[subject.language] ?? 1;
    const length = random.between(range.from, range.to) * scale;
    const material = this.pools.of(subject);
    if (type === 'poem' && !isLong) return poem(random, material, length);

    const { headings } = material;
    const isTechnical = isLong || type === 'research-paper' || type === 'article';
    const firstHeading = random.int(headings.length);
    let text = paragraph(random, material);
    for (let section = 0; text.length < length; section++) {
      const heading = headings[(firstHeading + section * HEADING_STEP) % headings.length]!;
      text += `\n\n## ${fillPattern(heading, material.vocabulary, random)}\n\n`;
      const end = Math.min(length, text.length + random.between(900, 2_200) * scale);
      do {
        text += block(random, material, isTechnical) + '\n\n';
      } while (text.length < end);
      text = text.trimEnd();
    }
    return text + '\n';
  }

  /** Returns a comment: a few sentences on one line, at most `maxLength` units. */
  remark(random: Random, subject: Subject, sentences: number, maxLength: number): string {
    return remark(random, this.pools.of(subject), sentences, maxLength);
  }

  /** Returns a remark about anything, for a biography. */
  aside(random: Random, language: string, sentences: number, maxLength: number): string {
    const subject = { language: isWritten(language) ? language : 'en', topic: random.int(TOPICS.length) };
    return this.remark(random, subject, sentences, maxLength);
  }
}

function remark(random: Random, { grammar, sentences: pool }: Material, sentences: number, maxLength: number): string {
  let text = random.pick(pool);
  for (let i = 1; i < sentences; i++) {
    const next = random.pick(pool);
    if (text.length + next.length + 1 > maxLength) break;
    text += grammar.space + next;
  }
  return text;
}

function paragraph(random: Random, material: Material): string {
  return remark(random, material, random.between(2, 7), 2_000);
}

function block(random: Random, material: Material, isTechnical: boolean): string {
  const draw = random.float();
  const pool = material.sentences;
  if (draw < 0.12) return Array.from({ length: random.between(3, 6) }, () => `- ${random.pick(pool)}`).join('\n');
  if (draw < 0.17)
    return Array.from({ length: random.between(3, 5) }, (_, i) => `${i + 1}. ${random.pick(pool)}`).join('\n');
  if (draw < 0.21) return `> ${random.pick(pool)}`;
  if (isTechnical) {
    if (draw < 0.28) return random.pick(CODE_BLOCKS);
    if (draw < 0.35) return `$$\n${random.pick(FORMULAS)}\n$$`;
    if (draw < 0.38) return `${random.pick(pool)} $${random.pick(FORMULAS)}$.`;
    if (draw < 0.4) return table(random, material);
  }
  return paragraph(random, material);
}

function table(random: Random, { vocabulary }: Material): string {
  const rows = Array.from({ length: random.between(3, 6) }, () => {
    const place = vocabulary.fill(random, 'N');
    return `| ${place} | ${random.between(12, 900)} | ${(random.float() * 10).toFixed(2)} |`;
  });
  return ['| place | n | mean |', '| --- | ---: | ---: |', ...rows].join('\n');
}

function poem(random: Random, { sentences: pool }: Material, length: number): string {
  let text = '';
  while (text.length < length) {
    const verse = Array.from({ length: 4 }, () => random.pick(pool).replace(/[.,;]$/, ''));
    text += (text && '\n\n') + verse.join('  \n');
  }
  return text + '\n';
}
