import fc from 'fast-check';
import { archiveOf, goldenFiles, readArchive } from '../../../test/support/archives.js';
import { ARCHIVE_FORMATS } from './archive-formats.js';
import { autop } from './autop.js';

const RUNS = process.env['TEST_SCALE'] === 'long' ? 5_000 : 150;
const GOLDEN = [
  'own-export',
  'own-export-0.3',
  'hugo',
  'jekyll',
  'dev.to',
  'ghost',
  'wordpress',
  'medium',
  'substack',
  'rss',
  'atom',
  'page',
];

/** Reads an archive by every format, whether or not it is recognised. */
async function readByAll(files: Record<string, Buffer | string>): Promise<string[]> {
  const archive = archiveOf(files);
  const found: string[] = [];
  for (const format of ARCHIVE_FORMATS) {
    await format.recognises(archive);
    for await (const one of format.posts(archive)) {
      expect('code' in one ? typeof one.detail : typeof one.content).toBe('string');
      found.push('code' in one ? one.code : one.title);
    }
  }
  return found;
}

const codesOf = async (files: Record<string, Buffer | string>): Promise<string[]> =>
  (await readArchive(archiveOf(files))).problems.map(({ code }) => code);

const YAML = '---\ntitle: a\n';
const WXR = '<?xml version="1.0"?>\n<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>\n';
const wxrPost = (title: string): string =>
  `<item><title>${title}</title><guid>${title}</guid><content:encoded>text</content:encoded><wp:post_type>post</wp:post_type></item>`;
const ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>';
const GHOST = '{"db":[{"data":{"posts":[';

describe('any bytes', () => {
  it('give posts or problems', async () => {
    const paths = fc.constantFrom(
      ...[
        'posts.csv',
        'posts/1.a.html',
        'a.xml',
        'a.json',
        'a.md',
        '_posts/a.html',
        'account.json',
        'posts/a.md',
        'posts.jsonl',
      ],
    );
    const heads = fc.constantFrom(...['', YAML, '+++\na=', WXR, GHOST, '[{"body_markdown":', 'post_id,title\n']);
    const rest = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ maxLength: 200 }), fc.json());
    const content = fc
      .tuple(heads, rest)
      .map(([head, tail]) => Buffer.concat([head, tail].map((one) => Buffer.from(one as string))));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(paths, content, { minKeys: 1 }), async (files) => {
        await readByAll(files);
      }),
      { numRuns: RUNS },
    );
  });

  it('in the place of bytes of a real archive give posts or problems', async () => {
    const change = fc.record({
      platform: fc.constantFrom(...GOLDEN),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        fc.constantFrom(...['"', '<', '>', '{', ']', '\\', '\n---\n', '&x;', ']]>', '<!--', '\0', '<section>', ',']),
      ),
      removed: fc.nat({ max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ platform, at, bytes, removed }) => {
        const changed = Object.entries(goldenFiles(platform)).map(([path, content]) => {
          const from = Math.floor(at * content.length);
          const parts = [content.subarray(0, from), Buffer.from(bytes as string), content.subarray(from + removed)];
          return [path, Buffer.concat(parts)];
        });
        await readByAll(Object.fromEntries(changed));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('an archive with', () => {
  it('a document type and its entities is refused', async () => {
    const laughs = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><rss xmlns:wp="http://wordpress.org/export/1.2/">&b;</rss>`;
    expect(await codesOf({ file: laughs })).toEqual(['xml_doctype']);
  });

  it('an entity without a definition keeps the posts before it', async () => {
    const { posts, problems } = await readArchive(
      archiveOf({ file: `${WXR}${wxrPost('one')}${wxrPost('&file;')}${wxrPost('two')}` }),
    );
    expect(posts.map(({ title }) => title)).toEqual(['one']);
    expect(problems.map(({ code, detail }) => [code, detail])).toEqual([
      ['invalid_xml', expect.stringContaining('undefined entity')],
    ]);
  });

  it('control characters in XML gives its posts', async () => {
    const { posts, problems } = await readArchive(
      archiveOf({ file: `${WXR}${wxrPost('one\u0008 \u000b')}</channel></rss>` }),
    );
    expect([posts.map(({ title }) => title), problems]).toEqual([['one'], []]);
  });

  it.each([
    ['deep XML', `${WXR}${'<a>'.repeat(300_000)}`, ['xml_too_complex']],
    ['one text of XML without end', `${WXR}<title>${'x'.repeat(11_000_000)}`, ['xml_too_complex']],
    ['deep XHTML', `${ATOM}</title><content type="xhtml">${'<a>'.repeat(300_000)}`, ['xml_too_complex']],
    [
      'a feed of many posts',
      `${ATOM}a</title></entry>${'<entry/>'.repeat(20_001)}</feed>`,
      expect.arrayContaining(['too_many_items']),
    ],
    ['a page without an article', '<!doctype html><p>text</p>', ['no_article']],
    ['deep JSON', `${GHOST}${'['.repeat(300_000)}`, ['json_too_complex']],
    ['an item of many values', `${GHOST}{"x":[${'[],'.repeat(200_000)}[]]}]}}]}`, ['json_too_complex']],
    ['JSON that ends early', `${GHOST}{"title":"a`, ['invalid_json']],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(`${YAML}---\n`), Buffer.from([0xff])]), ['not_utf8']],
    ['a post of many bytes', `${YAML}---\n${'x'.repeat(4_000_001)}`, ['too_large']],
    ['aliases in YAML', `${YAML}b: &b [x]\nc: [*b]\n---\ntext`, ['invalid_front_matter']],
    ['deep YAML', `${YAML}b: ${'['.repeat(60_000)}\n---\ntext`, ['invalid_front_matter']],
    ['deep TOML', `+++\nb = ${'['.repeat(60_000)}\n+++\ntext`, ['invalid_front_matter']],
    ['front matter without end', `${YAML}${'x: y\n'.repeat(20_000)}`, ['invalid_front_matter']],
    ['a text without words', `${YAML}---\n \n`, ['no_content']],
  ])('%s names its problem', async (_, file, codes) => expect(await codesOf({ file })).toEqual(codes));

  it.each([
    ['a field without end', `1,"${'x'.repeat(1_100_000)}`, ['invalid_csv']],
    ['carriage returns only', '1,a\r2,b\r', ['no_content']],
    ['rows of other lengths', '1,a,b,c\n2\n', ['no_content']],
  ])('a CSV of %s names its problem', async (_, rows, codes) => {
    const head = rows.includes('\r') ? 'post_id,title\r3,c\r' : 'post_id,title\n';
    const files = { 'posts.csv': head + rows, 'posts/3.html': '<p>c</p>', 'posts/1.html': '<p>a</p>' };
    expect(await codesOf(files)).toEqual(codes);
  });

  const titlesOf = async (files: Record<string, Buffer | string>): Promise<unknown> => {
    const { posts, problems } = await readArchive(archiveOf(files));
    return [posts.map(({ title }) => title), problems.map(({ code }) => code)];
  };

  it('an error keeps the posts before it', async () => {
    expect(await titlesOf({ file: `${WXR}${wxrPost('one')}<item>` })).toEqual([['one'], ['invalid_xml']]);
    expect(await titlesOf({ file: `${GHOST}{"title":"one","html":"a"},{"title"` })).toEqual([
      ['one'],
      ['invalid_json'],
    ]);
  });

  it('a bad file in Substack’s folder keeps the others', async () => {
    const csv = 'post_id,title\n1.a,one\n2.b,two\n';
    const bad = Buffer.from([0x3c, 0xff]);
    expect(await titlesOf({ 'posts.csv': csv, 'posts/1.a.html': bad, 'posts/2.b.html': '<p>b</p>' })).toEqual([
      ['two'],
      ['not_utf8'],
    ]);
  });

  it('a text that begins with a line of dashes keeps it', async () => {
    const { posts } = await readArchive(archiveOf({ file: '[{"title":"a","body_markdown":"---\\nb"}]' }));
    expect(posts.map(({ content }) => content)).toEqual(['---\nb']);
  });

  it('a name of a prototype in its fields gives a post', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const yaml = names.map((name) => `${name}: {a: b}\n`).join('');
    const json = names.map((name) => `"${name}":{"a":1}`).join(',');
    expect(await readByAll({ a: `---\n${yaml}---\ntext` })).toContain('');
    expect(await readByAll({ a: `[{"body_markdown":"text",${json},"title":"t"}]` })).toContain('t');
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});

describe('400,000 characters of', () => {
  const units = [
    '<',
    '<p',
    '<p class="',
    '</section>',
    '[caption',
    '[caption]<',
    '\n',
    ' \n',
    '---\n',
    '&',
    '<!--',
    '"',
    '\\',
    ']]',
  ];
  const heads = [
    ...[`${YAML}---\n`, `${WXR}<item><content:encoded>`, '<section data-field="body">', `${GHOST}{"html":"`],
    ...[`${ATOM}a</title><content type="xhtml">`, '<html><head><title>', '<html><article>'],
  ];

  // A quadratic scan of one of these takes minutes, which ends the test.
  it.each(units)('%j is read in linear time by each format', async (unit) => {
    const part = unit.repeat(Math.floor(400_000 / unit.length));
    const end = '</content:encoded><wp:post_type>post</wp:post_type></item>';
    for (const head of heads) expect(await readByAll({ file: head + part + end })).not.toEqual([]);
    expect(autop(`first ${part}`)).toContain('first');
  });
});
