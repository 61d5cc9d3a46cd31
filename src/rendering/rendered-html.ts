import { type CompressedBody, compressBody } from './body-codec.js';
import { hostsIn } from '../common/links.js';
import { wordsIn } from './post-text.js';
import { feedFormOf, xmlSafe } from './feed-form.js';
import type { Shown } from './shown-text.js';
import { oneLine, previewOf } from './visible-text.js';

export type TocEntry = { level: number; id: string; text: string };

/** A Markdown text as clients show it. */
export type RenderedHtml = {
  html: string;
  /** its headings, in order */
  toc: TocEntry[];
  /** whether the HTML needs the style sheet of KaTeX */
  hasMath: boolean;
  words: number;
};

/** The searchable text, as readers see it. */
export type ReadText = { headings: string[]; text: string };

/** All data derived from a Markdown text. */
export type RenderedPost = {
  html: RenderedHtml;
  /** of `feedFormOf` */
  feed: string;
  /** whether the HTML contains URLs of files of this server */
  hasOwnImages: boolean;
  /** whether it shows images that the author has not uploaded */
  hasOtherImages: boolean;
  preview: string;
  /** the ids of mentioned accounts */
  mentions: string[];
  shown: Shown;
  read: ReadText;
  /** the text could not be rendered */
  isPlain: boolean;
};

/** The response as JSON, and its stored form. */
export type EncodedHtml = { json: string; stored: CompressedBody };

/** The result of the CPU pool. */
export type EncodedPost = {
  html: EncodedHtml;
  /** null: too long for a feed */
  feed: CompressedBody | null;
  hasOwnImages: boolean;
  hasOtherImages: boolean;
  preview: string;
  mentions: string[];
  shown: Shown;
  words: number;
  text: CompressedBody;
  isPlain: boolean;
};

/** Formulas may take a hundred times their length, and a MongoDB document has at most 16 MB. */
export const MAX_JSON = 8_000_000;
/** The maximum of HTML characters of a feed, without the URLs of the site. */
export const MAX_FEED_HTML = 750_000;
export const MAX_TOC = 500;
export const MAX_TOC_TEXT = 200;

/** @throws RangeError */
export function encodePost({ html, feed, read, ...rest }: RenderedPost): EncodedPost {
  const json = JSON.stringify(html);
  if (json.length > MAX_JSON) throw new RangeError(`${json.length} characters of HTML`);
  return {
    html: { json, stored: compressBody(json) },
    feed: feed.length > MAX_FEED_HTML ? null : compressBody(feed),
    ...rest,
    words: html.words,
    text: encodeText(read),
  };
}

export function encodeText(read: ReadText): CompressedBody {
  return compressBody(JSON.stringify(read));
}

/** Returns the unrendered text, for failed renderings. */
export function escapedPost(markdown: string): RenderedPost {
  const text = markdown.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`).replace(/\r\n?|\n/g, '<br>\n');
  const html = { html: `<p>${text}</p>`, toc: [], hasMath: false, words: wordsIn(markdown) };
  const feed = feedFormOf(xmlSafe(html.html));
  return {
    html,
    feed,
    ...{ hasOwnImages: false, hasOtherImages: false },
    preview: previewOf(markdown),
    mentions: [],
    shown: { text: markdown, hosts: hostsIn(markdown) },
    read: { headings: [], text: oneLine(markdown) },
    isPlain: true,
  };
}
