import type { PostType } from '../../src/posts/post-types.js';
import type { Random } from '../sampling/random.js';
import { CODE_BLOCKS, FORMULAS } from '../words/blocks.js';
import { MEN, WOMEN } from '../words/english/general.js';
import { BIOS, LEADS } from '../words/english/titles.js';
import { OTHER_LANGUAGES } from '../words/languages/languages.js';
import { TOPICS } from '../words/topics/topics.js';
import { parsePattern, parsePatterns, upperFirst } from './pattern.js';
import {
  isWritten,
  type Material,
  type Register,
  type SentencePools,
  type Subject,
  topicsIn,
} from './sentence-pool.js';

/** UTF-16 units. English is ASCII, so for most texts these are bytes too. */
const LONG_LENGTH = { from: 8_300, to: 13_700 };
const SHORT_LENGTH = { from: 700, to: 5_500 };
/** Share of comments that also report something. */
const ACCOUNT_SHARE = 0.8;
/** Mean length of a section. */
const SECTION_LENGTH = 1_550;
// Has no common divisor with the number of headings of most lists, so a text rarely repeats one.
const HEADING_STEP = 7;
const POEM_LENGTH = { from: 250, to: 1_400 };
// Characters outside ASCII take two or three bytes. These factors limit a long text to 15 kB in every language.
const UNITS_PER_BYTE: Readonly<Record<string, number>> = { ru: 0.56, ar: 0.58, hi: 0.4, zh: 0.36, ja: 0.36, ko: 0.42 };

const REGISTER_OF: Readonly<Record<PostType, Register>> = {
  'research-paper': 'paper',
  article: 'plain',
  poem: 'verse',
  story: 'story',
  book: 'plain',
  written: 'plain',
};
const ENGLISH_LEADS = parsePatterns(LEADS);
const ENGLISH_BIOS = parsePatterns(BIOS);
const OTHER_BIOS = Object.fromEntries(
  Object.entries(OTHER_LANGUAGES).map(([language, { bios }]) => [language, bios.map(parsePattern)]),
);
const TABLE_ROW = parsePattern('{town}');

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

    const register = REGISTER_OF[type];
    const headings = material.headings(register);
    const isOrdered = register === 'paper' && subject.language === 'en';
    const sections = Math.ceil(length / (SECTION_LENGTH * scale));
    const first = random.int(headings.length);
    const headingOf = (section: number) =>
      headings[
        isOrdered
          ? Math.min(Math.floor((section * headings.length) / sections), headings.length - 1)
          : (first + section * HEADING_STEP) % headings.length
      ]!;
    const isTechnical = type === 'research-paper' || (type === 'article' && TOPICS[subject.topic]!.isTechnical);
    let text = paragraph(random, material, register);
    for (let section = 0; text.length < length; section++) {
      text += `\n\n## ${material.fill(headingOf(section), random)}\n\n`;
      const end = Math.min(length, text.length + random.between(900, 2_200) * scale);
      do {
        text += block(random, material, register, isTechnical) + '\n\n';
      } while (text.length < end);
      text = text.trimEnd();
    }
    return (register === 'story' ? withCharacters(random, text) : text) + '\n';
  }

  /** Returns a comment: a few sentences on one line, at most `maxLength` units. */
  comment(random: Random, subject: Subject, maxLength: number): string {
    const material = this.pools.of(subject);
    const remarks = join(random, material, 'remark', random.between(1, 3), maxLength);
    const account = random.chance(ACCOUNT_SHARE)
      ? join(random, material, 'account', random.between(1, 3), maxLength)
      : '';
    return account === '' || remarks.length + account.length >= maxLength
      ? remarks
      : remarks + material.space + account;
  }

  /** Returns a biography in the language of a person, or in English. */
  biography(random: Random, personal: string): string {
    const language = isWritten(personal) ? personal : 'en';
    const material = this.pools.of({ language, topic: random.pick(topicsIn(language)) });
    const bios = OTHER_BIOS[language] ?? ENGLISH_BIOS;
    const first = random.int(bios.length);
    const second = (first + 1 + random.int(bios.length - 1)) % bios.length;
    return [first, second].map((at) => material.fill(bios[at]!, random)).join(material.space);
  }
}

function join(random: Random, material: Material, register: Register, sentences: number, maxLength: number): string {
  const pool = material.sentences(register);
  let text = random.pick(pool);
  for (let i = 1; i < sentences; i++) {
    const next = random.pick(pool);
    if (text.length + next.length + 1 > maxLength) break;
    if (text.includes(next)) continue;
    text += material.space + next;
  }
  return text;
}

function paragraph(random: Random, material: Material, register: Register): string {
  return join(random, material, register, register === 'story' ? random.between(1, 4) : random.between(2, 7), 2_000);
}

function block(random: Random, material: Material, register: Register, isTechnical: boolean): string {
  if (register === 'story') return paragraph(random, material, register);
  const draw = random.float();
  const pool = material.sentences(register);
  if (draw < 0.12)
    return list(
      random,
      material,
      Array.from({ length: random.between(3, 6) }, () => `- ${random.pick(pool)}`),
    );
  if (draw < 0.17)
    return list(
      random,
      material,
      Array.from({ length: random.between(3, 5) }, (_, i) => `${i + 1}. ${random.pick(pool)}`),
    );
  if (draw < 0.21) return `> ${random.pick(pool)}`;
  if (isTechnical) {
    if (draw < 0.31) return random.pick(CODE_BLOCKS);
    if (draw < 0.4) return `$$\n${random.pick(FORMULAS)}\n$$`;
    if (draw < 0.44) return `${random.pick(pool)} $${random.pick(FORMULAS)}$.`;
    if (draw < 0.47) return table(random, material);
  }
  return paragraph(random, material, register);
}

function list(random: Random, material: Material, items: string[]): string {
  const isEnglish = material.subject.language === 'en';
  return (isEnglish ? `${material.fill(random.pick(ENGLISH_LEADS), random)}\n\n` : '') + items.join('\n');
}

function table(random: Random, material: Material): string {
  const rows = Array.from({ length: random.between(3, 6) }, () => {
    const town = material.fill(TABLE_ROW, random);
    return `| ${town} | ${random.between(12, 900)} | ${(random.float() * 10).toFixed(2)} |`;
  });
  const isEnglish = material.subject.language === 'en';
  return [isEnglish ? '| town | n | mean |' : '| № | n | x̄ |', '| --- | ---: | ---: |', ...rows].join('\n');
}

function poem(random: Random, material: Material, length: number): string {
  const pool = material.sentences('verse');
  let text = '';
  while (text.length < length) {
    const lines = [random.pick(pool), random.pick(pool)].flatMap((verse) => verse.split(/ ?\/ /));
    text += (text && '\n\n') + lines.map(upperFirst).join('  \n');
  }
  return text + '\n';
}

const withCharacters = (random: Random, text: string): string =>
  text.replaceAll('§', random.pick(WOMEN)).replaceAll('¶', random.pick(MEN));
