import { type CompressedBody, compressBody } from '../body/body-codec.js';
import { wordsIn } from '../body/post-text.js';

export type TocEntry = { level: number; id: string; text: string };

/** What a client shows of a Markdown text. */
export type RenderedHtml = {
  html: string;
  /** its headings, in order */
  toc: TocEntry[];
  /** whether it needs the style sheet of KaTeX */
  hasMath: boolean;
  words: number;
};

/** As JSON, which is the answer, and as it is stored. */
export type EncodedHtml = { json: string; stored: CompressedBody };

/** Formulas may take a hundred times their length; a document of MongoDB has 16 MB. */
export const MAX_JSON = 8_000_000;
export const MAX_TOC = 500;
export const MAX_TOC_TEXT = 200;

/** @throws RangeError */
export function encodeHtml(rendered: RenderedHtml): EncodedHtml {
  const json = JSON.stringify(rendered);
  if (json.length > MAX_JSON) throw new RangeError(`${json.length} characters of HTML`);
  return { json, stored: compressBody(json) };
}

/** The text as it was written, where it cannot be rendered. */
export function escapedText(markdown: string): RenderedHtml {
  const text = markdown.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`).replace(/\r\n?|\n/g, '<br>\n');
  return { html: `<p>${text}</p>`, toc: [], hasMath: false, words: wordsIn(markdown) };
}
