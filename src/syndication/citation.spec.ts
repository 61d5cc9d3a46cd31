import '@citation-js/plugin-bibtex';
import '@citation-js/plugin-csl';
import '@citation-js/plugin-ris';
import { Cite } from '@citation-js/core';
import fc from 'fast-check';
import { POST_TYPES } from '../posts/post-types.js';
import type { AuthorName } from './author-name.js';
import { CITATION_WRITERS, citationOf, type CitationFormat } from './citation.js';
import type { SharedPost } from './post-meta.js';
import type { SiteAddresses } from './site-addresses.js';

const addresses = {
  post: (slug: string) => `https://site.example/p/${slug}`,
  profile: String,
} as unknown as SiteAddresses;
const SLUG = 'notes-6650c3a2f1d2b3c4d5e6f708';

type Fields = { title?: string; subtitle?: string | null; fullName?: string; siteName?: string; type?: string };

function cited(
  { fullName = 'Ada Lovelace', siteName = 'Looms', ...fields }: Fields,
  canonicalUrl: string | null = null,
) {
  const author = { username: 'ada_l', fullName };
  const card = { id: SLUG.slice(-24), slug: SLUG, title: 'Notes', subtitle: null, type: 'article', author };
  const post = { card: { ...card, createdAt: '2026-03-04T23:59:59.000Z', ...fields }, canonicalUrl, siteName };
  return citationOf(post as unknown as SharedPost, addresses);
}

const written = (format: CitationFormat, citation: ReturnType<typeof cited>) =>
  CITATION_WRITERS[format].write(citation);

const TYPES = { bibtex: '@biblatex/text', ris: '@ris/file', csl: '@else/json' };

/** Reads a file as a reference manager does. */
function read(format: CitationFormat, citation: ReturnType<typeof cited>) {
  const { data } = new Cite(written(format, citation), { forceType: TYPES[format] });
  expect(data).toHaveLength(1);
  const { author, title, URL, issued, type, ...rest } = data[0]!;
  return {
    name: nameOf(author[0]!),
    title,
    url: URL,
    date: issued['date-parts'][0],
    type,
    site: rest['container-title'] ?? rest.publisher,
  };
}

type Name = AuthorName | (typeof Cite)['prototype']['data'][0]['author'][0];

function nameOf(name: Name): string {
  const { literal, given, family, suffix, 'non-dropping-particle': particle } = name as Record<string, string>;
  return literal ?? [given, particle, family, suffix].filter(Boolean).join(' ');
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(...'\\{}$&%#_^~`\'"-,;:=@|<>[]()!?\n\r\t\u0085\u2028 aEéß漢😀', ' and ', '  - ', 'ER  - '),
    }),
    fc.constantFrom(
      '}, title = {x}',
      '\\input{/etc/passwd}',
      '\nER  - \nTY  - JOUR',
      '@book{a, title={b}}',
      '$x$',
      '\\begin',
    ),
  )
  .filter((one) => oneLine(one) !== '');
const url = fc
  .tuple(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom('', '{', '}', '%7D', '\\', '$', '~b', '%', '|', '`', '^', '  - ', '\nER  - ', 'ü', '"', '_#&'),
  )
  .map(([base, end]) => base + end)
  .filter((one) => URL.canParse(one));

/** A writer or parser may encode these characters. */
function loose(url: string): string {
  const decoded = url.replace(/%(?:2[25]|5[B-E]|60|7[B-D])/gi, decodeURIComponent);
  return decoded === url ? url : loose(decoded);
}

describe('a citation', () => {
  it.each(['bibtex', 'ris', 'csl'] as const)('is read back, for any title, name, site and URL (%s)', (format) => {
    fc.assert(
      fc.property(text, text, text, url, (title, fullName, siteName, canonicalUrl) => {
        const citation = cited({ title, fullName, siteName }, canonicalUrl);
        const entry = read(format, citation);
        // RIS has no name with a comma that is not split.
        const known = (name: string): string => (format === 'ris' ? oneLine(name.replace(/[,;]/g, ' ')) : name);
        expect({ ...entry, name: known(entry.name) }).toMatchObject({
          ...{ title: oneLine(title), name: known(nameOf(citation.author)), site: oneLine(siteName) },
          date: [2026, 3, 4],
        });
        expect(loose(entry.url)).toBe(loose(new URL(canonicalUrl).href));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(POST_TYPES)('has the type of a %s, with the site as its publisher or container', (type) => {
    const expected = { 'research-paper': 'article-journal', book: 'book' }[type as string] ?? 'post-weblog';
    for (const format of ['ris', 'csl'] as const)
      expect(read(format, cited({ type }))).toMatchObject({ type: expected, site: 'Looms' });
    const bibtex = { 'research-paper': 'article-journal', book: 'book' }[type as string] ?? 'document';
    expect(read('bibtex', cited({ type }))).toMatchObject({ type: bibtex, site: 'Looms' });
  });

  it('is one entry, with what TeX would change escaped', () => {
    const fields = { title: 'Bits & {pieces} -- 100% ~', fullName: 'Ludwig van Beethoven', type: 'research-paper' };
    expect(written('bibtex', cited(fields))).toBe(
      [
        '@article{ada_l_2026_e6f708,',
        '  author = {van Beethoven, Ludwig},',
        String.raw`  title = {{Bits \& \textbraceleft{}pieces\textbraceright{} -{}- 100\% \textasciitilde{}}},`,
        '  journal = {Looms},',
        '  year = {2026},',
        '  date = {2026-03-04},',
        `  url = {https://site.example/p/${SLUG}}`,
        '}\n',
      ].join('\n'),
    );
    expect(written('ris', cited(fields)).split('\r\n')).toEqual([
      ...['TY  - JOUR', 'AU  - van Beethoven, Ludwig', 'TI  - Bits & {pieces} -- 100% ~', 'T2  - Looms'],
      ...['PY  - 2026', 'DA  - 2026/03/04', `UR  - https://site.example/p/${SLUG}`, 'ER  - ', ''],
    ]);
  });

  it('is a reference that citeproc formats', () => {
    const csl = new Cite(written('csl', cited({ title: 'Notes', subtitle: 'On looms' })), { forceType: TYPES.csl });
    expect(csl.format('bibliography', { template: 'apa', format: 'text' }).trim()).toBe(
      `Lovelace, A. (2026, March 4). Notes: On looms. Looms. https://site.example/p/${SLUG}`,
    );
  });

  it.each([
    ['Notes', 'On looms', 'Notes: On looms'],
    ['Why?', 'On looms', 'Why? On looms'],
  ])('of %s has the subtitle in the title', (title, subtitle, whole) => {
    for (const format of ['bibtex', 'ris', 'csl'] as const)
      expect(read(format, cited({ title, subtitle })).title).toBe(whole);
  });

  it('names the account without a full name', () => {
    expect(read('csl', cited({ fullName: '' })).name).toBe('ada_l');
  });
});
