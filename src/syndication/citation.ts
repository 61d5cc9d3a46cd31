import type { PostType } from '../posts/post-types.js';
import { authorName } from './author-name.js';
import type { SharedPost } from './post-meta.js';
import { sharedCard } from './shared-card.js';
import type { SiteAddresses } from './site-addresses.js';

export const CITATION_FORMATS = ['bibtex', 'ris', 'csl'] as const;
export type CitationFormat = (typeof CITATION_FORMATS)[number];

type Writer = { contentType: string; extension: string; write: (citation: Citation) => string };

export const CITATION_WRITERS: Record<CitationFormat, Writer> = {
  bibtex: { contentType: 'application/x-bibtex', extension: 'bib', write: bibtexOf },
  ris: { contentType: 'application/x-research-info-systems', extension: 'ris', write: risOf },
  csl: { contentType: 'application/vnd.citationstyles.csl+json', extension: 'json', write: cslOf },
};

type Citation = ReturnType<typeof citationOf>;

/** Returns what a reference manager stores of a post: each text on one line, the URL in ASCII that no format escapes. */
export function citationOf({ card, canonicalUrl, siteName }: SharedPost, addresses: SiteAddresses) {
  const { id, author, type, subtitle, createdAt } = card;
  const title = oneLine(card.title);
  const year = createdAt.slice(0, 4);
  return {
    key: `${author.username}_${year}_${id.slice(-6)}`,
    ...{ type, year },
    date: createdAt.slice(0, 10),
    author: authorName(oneLine(author.fullName || author.username)),
    title: subtitle === null ? title : `${title}${/[?!.:…]$/.test(title) ? '' : ':'} ${oneLine(subtitle)}`,
    site: oneLine(siteName),
    url: new URL(canonicalUrl ?? sharedCard(card, addresses).url).href.replace(/["\\^`{|}]/g, encodeURIComponent),
  };
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const OF_SITE = { bibtex: 'misc', ris: 'BLOG', csl: 'post-weblog' };
/** The types of an entry. The site is the publisher of a book, and the container of other posts. */
const TYPES: Record<PostType, Record<CitationFormat, string>> = {
  'research-paper': { bibtex: 'article', ris: 'JOUR', csl: 'article-journal' },
  article: OF_SITE,
  poem: OF_SITE,
  story: OF_SITE,
  book: { bibtex: 'book', ris: 'BOOK', csl: 'book' },
  written: OF_SITE,
};
const SITE_FIELDS: Record<string, string> = { article: 'journal', book: 'publisher', misc: 'howpublished' };

function bibtexOf({ key, type, author, title, year, date, site, url }: Citation): string {
  const entry = TYPES[type].bibtex;
  const parts =
    'literal' in author
      ? [`{${tex(author.literal)}}`]
      : [author.family, author.suffix, author.given].filter(isPresent).map(tex);
  const fields = [
    ['author', parts.join(', ')],
    // The second braces keep the case of the title.
    ['title', `{${tex(title)}}`],
    [SITE_FIELDS[entry], tex(site)],
    ['year', year],
    ['date', date],
    ['url', url],
  ];
  return `@${entry}{${key},\n${fields.map(([field, value]) => `  ${field} = {${value}}`).join(',\n')}\n}\n`;
}

/** Signs with a command, in its order. BibTeX counts braces, also those after a backslash. */
const SIGNS = '\\{}~^`<>|';
const COMMANDS = 'backslash braceleft braceright asciitilde asciicircum asciigrave less greater bar'.split(' ');

/** Escapes a text for TeX, also the pairs of characters that its fonts join. */
function tex(text: string): string {
  return text.replace(/[\\{}~^`<>|]|[&%$#_]|([-',])(?=\1)/g, (sign, pair: string | undefined) => {
    if (SIGNS.includes(sign)) return `\\text${COMMANDS[SIGNS.indexOf(sign)]}{}`;
    return pair === undefined ? `\\${sign}` : `${sign}{}`;
  });
}

function risOf({ type, author, title, year, date, site, url }: Citation): string {
  const entry = TYPES[type].ris;
  const lines = [
    ['TY', entry],
    [
      'AU',
      'literal' in author
        ? withoutCommas(author.literal)
        : [author.family, author.given, author.suffix].filter(isPresent).join(', '),
    ],
    ['TI', title],
    [entry === 'BOOK' ? 'PB' : 'T2', site],
    ['PY', year],
    ['DA', date.replaceAll('-', '/')],
    ['UR', url],
    ['ER', ''],
  ];
  return lines.map(([tag, value]) => `${tag}  - ${value}\r\n`).join('');
}

function cslOf({ key, type, author, title, date, site, url }: Citation): string {
  const entry = TYPES[type].csl;
  const issued = { 'date-parts': [date.split('-').map(Number)] };
  const place = { [entry === 'book' ? 'publisher' : 'container-title']: site };
  return JSON.stringify([{ id: key, type: entry, author: [author], title, issued, ...place, URL: url }]);
}

const isPresent = (part: string | undefined): part is string => part !== undefined;

/** A comma in an RIS name separates its parts, and nothing escapes it. */
const withoutCommas = (name: string): string => oneLine(name.replaceAll(',', ' ')) || name.replaceAll(',', ';');
