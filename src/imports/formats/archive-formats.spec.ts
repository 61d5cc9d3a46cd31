import { archiveOf, goldenFiles, readArchive, type ReadArchive } from '../../../test/support/archives.js';
import { seen } from '../../../test/support/seen-text.js';
import { htmlToMarkdown } from '../../rendering/html-to-markdown.js';
import { renderMarkdown } from '../../rendering/render-markdown.js';
import type { ArchivePost } from '../archive.js';

const golden = (platform: string): Promise<ReadArchive> => readArchive(archiveOf(goldenFiles(platform)));

/** A line for each post: what an import keeps besides the text. */
const rowOf = ({ title, createdAt, tags, canonicalUrl, thumbnail, address, isPublished }: ArchivePost): string =>
  [
    title,
    createdAt?.toISOString() ?? '-',
    tags.join(',') || '-',
    canonicalUrl ?? '-',
    thumbnail ?? '-',
    address ?? '-',
    isPublished ? 'published' : 'draft',
  ].join(' | ');

const problemsOf = ({ problems }: ReadArchive): string[] =>
  problems.map(({ entry, code }) => `${entry} ${code}`).sort();

/** The words that readers see of a post. */
const shown = ({ content, contentFormat }: ArchivePost): string =>
  seen(renderMarkdown(contentFormat === 'html' ? htmlToMarkdown(content)!.markdown : content).html);

type Expected = { format: string; posts: string[]; problems: string[] };

const PLATFORMS: Record<string, Expected> = {
  'own-export': {
    format: 'own-export',
    posts: [
      ' | 2024-01-09T10:00:00.000Z | water | - | - | - | draft',
      'The well: "how deep?" | 2023-04-01T08:15:30.123Z | water,history | https://wells.example.org/deep?a=1#b | pictures/6650c3a2f1d2b3c4d5e6f900-abc.webp | /p/the-well-6650c3a2f1d2b3c4d5e6f708 | published',
      '007 | 2023-05-01T00:00:00.000Z | - | - | - | /p/the-rope-6650c3a2f1d2b3c4d5e6f709 | draft',
    ],
    problems: [],
  },
  'own-export-0.3': {
    format: 'own-export',
    posts: [
      ' | 2024-01-09T10:00:00.000Z | water | - | - | - | draft',
      'The well: "how deep?" | 2023-04-01T08:15:30.123Z | water,history | https://wells.example.org/deep?a=1#b | pictures/6650c3a2f1d2b3c4d5e6f900-abc.webp | /p/the-well-6650c3a2f1d2b3c4d5e6f708 | published',
      '007 | 2023-05-01T00:00:00.000Z | - | - | - | /p/the-rope-6650c3a2f1d2b3c4d5e6f709 | draft',
    ],
    problems: [],
  },
  hugo: {
    format: 'markdown',
    posts: [
      'Night train to Łódź | 2020-02-29T00:00:00.000Z | travel,1.10 | https://trains.example.org/lodz | window.jpg | /posts/night-train-to-lodz/ | published',
      'Paper boats — a manual | 2019-07-03T08:30:00.000Z | paper,Ünterwegs,Crafts | - | /covers/boat.png | /posts/paper-boats/ | published',
      'Unfinished | - | - | - | lost.png | /posts/unfinished/ | draft',
    ],
    problems: ['content/posts/broken.md invalid_front_matter', 'content/posts/unfinished.md invalid_date'],
  },
  jekyll: {
    format: 'markdown',
    posts: [
      'Compost | - | - | - | - | /compost/ | draft',
      'First frost & other news | 2012-11-05T06:45:12.000Z | frost,garden,weather | - | /assets/frost.jpg | /2012/11/05/first-frost.html | published',
      'Seed list | 2013-01-02T00:00:00.000Z | seeds,order form | - | - | /seeds.html | published',
      'Written as HTML | 2013-06-30T00:00:00.000Z | - | - | - | /2013/06/30/hand-written.html | draft',
    ],
    problems: [],
  },
  hashnode: {
    format: 'markdown',
    posts: [
      'Caching: the hard part | 2023-03-16T10:20:30.000Z | javascript,web-development,caching | https://own.example.org/caching | https://cdn.hashnode.com/res/hashnode/image/upload/v1/cover.png | /caching-the-hard-part/ | published',
      'The second part | 2023-03-17T08:00:00.000Z | javascript | - | - | /the-second-part/ | published',
      'Wörter | 2023-03-18T08:00:00.000Z | - | - | - | /woerter/ | published',
    ],
    problems: [],
  },
  'dev.to': {
    format: 'dev.to',
    posts: [
      'Byte sized episode 2: "Creating" a graph | 2019-08-22T06:30:00.000Z | computerscience,graphs,100daysofcode | https://nora.example.org/byte-sized-2 | https://dev-to-uploads.s3.amazonaws.com/i/cover.jpg | https://dev.to/nora/byte-sized-2-3abc | published',
      'Byte sized episode 1 🚀 | 2019-08-15T06:30:00.000Z | beginners | https://dev.to/nora/byte-sized-1-2abc | - | https://dev.to/nora/byte-sized-1-2abc | published',
      '[Not finished] | - | - | https://dev.to/nora/not-finished-temp-slug-1 | - | https://dev.to/nora/not-finished-temp-slug-1 | draft',
    ],
    problems: [],
  },
  'dev.to-export': {
    format: 'dev.to',
    posts: [
      'Short | 2021-03-02T12:00:00.000Z | sql,beginners | - | https://dev-to-uploads.s3.amazonaws.com/i/main.png | /nora/short-1a | published',
    ],
    problems: ['comments.json not_recognised'],
  },
  ghost: {
    format: 'ghost',
    posts: [
      'Bread & salt: “a house” | 2021-05-10T06:00:00.000Z | Baking,Häuser | - | /content/images/2021/05/loaf.jpg | /bread-and-salt/ | published',
      'The oven | 2021-06-01T07:30:00.000Z | Baking | https://bakery.example.org/oven | https://images.example.org/oven.png | /the-oven/ | published',
      'For members | 2021-07-01T07:30:00.000Z | - | - | - | /for-members/ | draft',
      '(Untitled) | 2021-05-01T08:00:00.000Z | - | - | - | /untitled/ | draft',
    ],
    problems: ['loaves.ghost.2023-11-14.json no_content', 'loaves.ghost.2023-11-14.json not_public'],
  },
  wordpress: {
    format: 'wordpress',
    posts: [
      'Ropes & knots | 2010-03-13T18:20:00.000Z | knots & bends,Seamanship | https://ropes.example.org/knots | https://harbour.example.org/wp-content/uploads/2010/03/bowline.jpg | https://harbour.example.org/2010/03/ropes-knots/ | published',
      'Winter 😀 | 2011-01-10T08:00:00.000Z | Eis | - | - | https://harbour.example.org/2011/01/winter/ | published',
      'A letter | 2012-05-05T12:00:00.000Z | - | - | - | https://harbour.example.org/?p=30 | draft',
      'Behind a password | 2013-01-05T11:00:00.000Z | - | - | - | https://harbour.example.org/2013/01/password/ | draft',
    ],
    problems: ['harbour.WordPress.2022-01-31.xml not_public'],
  },
  medium: {
    format: 'medium',
    posts: [
      'Maps & Legends | 2018-09-30T14:05:00.123Z | - | https://medium.com/@otto/maps-legends-3f2a9c81d7be | https://cdn-images-1.medium.com/max/800/1*aBc.jpeg | https://medium.com/@otto/maps-legends-3f2a9c81d7be | published',
      'On scale | 2018-10-07T09:00:00.000Z | - | https://otto.example.org/on-scale | - | https://otto.example.org/on-scale | published',
      'Contour lines | - | - | - | - | - | draft',
    ],
    problems: ['posts/2019-01-02_Thank-you--this-helped-me-find-the--0011223344ff.html response'],
  },
  substack: {
    format: 'substack',
    posts: [
      'The "late" ferry, again | 2022-04-03T07:00:12.345Z | - | - | - | /p/the-late-ferry | published',
      'The pier | 2022-05-01T07:00:00.000Z | - | - | - | /p/the-pier | published',
      'For friends | 2022-06-01T07:00:00.000Z | - | - | - | /p/for-friends | draft',
      'Nächste Woche | - | - | - | - | /p/naechste-woche | draft',
    ],
    problems: ['posts.csv no_content', 'posts/105500.for-friends.html not_public'],
  },
  rss: {
    format: 'feed',
    posts: [
      'Lanterns & fog | 2021-04-02T23:30:00.000Z | Lights,harbor & sea | https://tide.example.org/2021/lanterns/ | - | https://tide.example.org/2021/lanterns/ | published',
      'Nets | 2021-04-01T14:00:00.000Z | - | https://tide.example.org/2021/nets/ | - | https://tide.example.org/2021/nets/ | published',
    ],
    problems: ['https://tide.example.org/2021/nothing/ no_content'],
  },
  atom: {
    format: 'feed',
    posts: [
      'Glaze & ash | 2020-06-01T06:15:00.000Z | glazes | https://kiln.example.org/glaze?a=1&b=2 | - | https://kiln.example.org/glaze?a=1&b=2 | published',
      'If a < b, then <b> is text | 2020-05-01T12:00:00.000Z | - | https://kiln.example.org/compare | - | https://kiln.example.org/compare | published',
      'A summary | 2020-04-01T12:00:00.000Z | - | https://kiln.example.org/summary | - | https://kiln.example.org/summary | published',
    ],
    problems: [],
  },
  page: {
    format: 'page',
    posts: [
      'Hedges & walls | 2017-03-04T04:06:07.000Z | - | https://garden.example.org/hedges | - | https://garden.example.org/hedges | published',
    ],
    problems: [],
  },
};

describe.each(Object.entries(PLATFORMS))('an archive of %s', (platform, expected) => {
  let read: ReadArchive;

  beforeAll(async () => {
    read = await golden(platform);
  });

  it('is recognised, and gives its posts and problems', () => {
    expect(read.format).toBe(expected.format);
    expect(read.posts.map(rowOf)).toEqual(expected.posts);
    expect(problemsOf(read)).toEqual(expected.problems);
  });

  it('shows readers the words of each HTML text', () => {
    for (const post of read.posts) if (post.contentFormat === 'html') expect(shown(post)).toBe(seen(post.content));
  });

  it('gives each post an id of its own, the same in each reading and with other names of folders', async () => {
    const ids = read.posts.map(({ sourceId }) => sourceId);
    expect(new Set(ids).size).toBe(ids.length);
    const moved = Object.entries(goldenFiles(platform)).map(([path, content]) => [`a folder/${path}`, content]);
    const again = await readArchive(archiveOf(Object.fromEntries(moved)));
    expect([again.format, again.posts.map(({ sourceId }) => sourceId)]).toEqual([expected.format, ids]);
  });
});

describe('one file of an archive', () => {
  const files = Object.keys(PLATFORMS).flatMap((platform) =>
    Object.entries(goldenFiles(platform)).map(([path, content]) => ({ platform, path, content })),
  );
  const isAlone =
    /^(?:hugo\/content\/posts\/paper|jekyll\/_posts\/2012|hashnode|dev.to|ghost\/.*json|wordpress|medium\/posts|rss|atom|page)/;
  const alone = files.filter(
    ({ platform, path }) => isAlone.test(`${platform}/${path}`) && !path.startsWith('comments'),
  );

  it.each(alone)('is recognised by its content: $platform $path', async ({ platform, content }) => {
    const { format } = await readArchive(archiveOf({ upload: content }));
    expect(format).toBe(PLATFORMS[platform]!.format);
  });

  it('is Markdown if it begins with front matter, with any text', async () => {
    const texts = ['<section data-field="body">', '<rss>://wordpress.org/export/', '[{"body_markdown"', '{"db":['];
    for (const text of texts)
      expect(await readArchive(archiveOf({ upload: `---\ntitle: a\n---\n${text}` }))).toMatchObject({
        format: 'markdown',
        posts: [{ title: 'a', content: text }],
      });
  });

  it.each([
    ['a text', 'Some words.'],
    ['other JSON', '{"db":{}}'],
    ['other XML', '<?xml version="1.0"?><svg><title>rss</title></svg>'],
    ['bytes', Buffer.from([0, 255, 3])],
  ])('is not recognised: %s', async (_, content) => {
    expect((await readArchive(archiveOf({ 'post.md': content }))).format).toBeNull();
  });
});

describe('the texts of archives', () => {
  const find = async (platform: string, title: string): Promise<ArchivePost> =>
    (await golden(platform)).posts.find((post) => post.title === title)!;

  it('keep the Markdown of an own export byte for byte, apart from images in the archive', async () => {
    const [row] = goldenFiles('own-export')['posts.jsonl']!.toString().split('\n');
    const written = (JSON.parse(row!) as { content: string }).content;
    const { content } = await find('own-export', 'The well: "how deep?"');
    expect(content).toBe(
      written.replace('(media:6650c3a2f1d2b3c4d5e6f900)', '(pictures/6650c3a2f1d2b3c4d5e6f900-abc.webp)'),
    );
  });

  it('have the paragraphs of the classic editor of WordPress, and every word', async () => {
    const { content } = await find('wordpress', 'Ropes & knots');
    const [source] = Object.values(goldenFiles('wordpress')).map(String);
    const raw = /<content:encoded><!\[CDATA\[([^]*?)\]\]>/.exec(source!)![1]!;
    expect(seen(content)).toBe(seen(raw.replace(/\[\/?caption[^\]]*\]/g, ' ')));
    expect(htmlToMarkdown(content)!.markdown).toBe(
      [
        'The *bowline* is the first knot.\\\nIt holds, and it opens.',
        '<img src="https://harbour.example.org/wp-content/uploads/2010/03/bowline-300x200.jpg" alt="A bowline" width="300" height="200">',
        'The bowline, tied wet',
        '> A knot is a promise.\n>\n> A rope is none.',
        '- hemp\n- nylon < steel',
        '```\nover\n  under\n\nthrough\n```',
        'See [the winter](https://harbour.example.org/2011/01/winter/).',
        'The rest costs $5 to $7.\n',
      ].join('\n\n'),
    );
  });

  it('of Medium begin without the title, if it is the title of the post', async () => {
    expect(shown(await find('medium', 'Maps & Legends'))).toMatch(/^On paper and memory A map by Ida Every map lies\./);
    expect(shown(await find('medium', 'Contour lines'))).toBe('Contour lines (notes) Five metres apart.');
  });

  it.each([
    ['substack', 'The "late" ferry, again', 'Fog < rain & wind'],
    ['ghost', 'The oven', 'How it heats'],
    ['own-export', '007', 'A rope'],
    ['own-export-0.3', '007', 'A rope and its knots'],
  ])('of %s have subtitles', async (platform, ...expected) => {
    const { posts } = await golden(platform);
    const found = posts.flatMap(({ title, subtitle }) => (subtitle === null ? [] : [[title, subtitle]]));
    expect(found).toEqual([expected]);
  });

  it('of Ghost have paths in place of its variable for the address of the site', async () => {
    const { content } = await find('ghost', 'Bread & salt: “a house”');
    expect(content).toContain('src="/content/images/2021/05/loaf.jpg"');
    expect(content).toContain('href="/the-oven/"');
    expect(content).not.toContain('GHOST_URL');
  });

  it('of feeds are what the feed shows as HTML, as XHTML or as text', async () => {
    const texts = await Promise.all(
      [
        ['rss', 'Nets'],
        ['atom', 'Glaze & ash'],
        ['atom', 'If a < b, then <b> is text'],
        ['atom', 'A summary'],
      ].map(async ([platform, title]) => shown(await find(platform!, title!))),
    );
    expect(texts).toEqual([
      'Knots & holes < rope.',
      'Two parts ash.',
      'One & two < three. Next line. clay fire',
      'Use <div> & no more.',
    ]);
  });

  it('of a page are its article without the title, or its main part', async () => {
    const { content } = await find('page', 'Hedges & walls');
    const [source] = Object.values(goldenFiles('page')).map(String);
    const inMain = await readArchive(archiveOf({ file: source!.replaceAll('article>', 'div>') }));

    expect(shown(await find('page', 'Hedges & walls'))).toMatch(
      /^By Ora, 5 March A hedge grows.*In May See walls and the note\.$/,
    );
    expect(content).not.toMatch(/comment|gardener|<h1/);
    expect(shown(inMain.posts[0]!)).toContain('A comment.');
  });

  it('of a page have the date that its head, its article or its JSON-LD names', async () => {
    const dates = ['<meta property="article:published_time" content="2001-01-01">', '<time datetime="2002-01-01">'];
    const script = '<script type="application/ld+json">{"@type":"Article","datePublished": "2003-01-01"}</script>';
    const dateWith = async (head: string, text: string): Promise<unknown> => {
      const file = `<html><head>${script}${head}</head><body><article><h1>a</h1>${text} b</article></body></html>`;
      return (await readArchive(archiveOf({ file }))).posts[0]!.createdAt?.getUTCFullYear();
    };

    const years = await Promise.all([dateWith(dates[0]!, dates[1]!), dateWith('', dates[1]!), dateWith('', '')]);
    expect(years).toEqual([2001, 2002, 2003]);
  });

  it('have authors where the platform names them', async () => {
    const authorsIn = async (platform: string): Promise<unknown> => {
      const { posts, problems } = await golden(platform);
      return [posts.map(({ author }) => author), problems.map(({ author }) => author)];
    };
    const post = `{"id":1,"title":"a","html":"<p>a</p>","author_id":7}`;
    const older = `{"db":[{"data":{"posts":[${post}],"tags":[{"id":7,"name":"no"}],"users":[{"id":7,"slug":"ida"}]}}]}`;
    const markdown = ['author: Ida', 'authors: [Ida, Jo]', 'author: {name: Ida}'].map((author) =>
      readArchive(archiveOf({ file: `---\ntitle: a\n${author}\n---\ntext` })),
    );

    expect(await authorsIn('wordpress')).toEqual([['jo', 'jo', undefined, undefined], [undefined]]);
    expect(await authorsIn('ghost')).toEqual([
      ['mae', undefined, undefined, undefined],
      [undefined, undefined],
    ]);
    expect((await readArchive(archiveOf({ file: older }))).posts.map(({ author }) => author)).toEqual(['ida']);
    for (const { posts } of await Promise.all(markdown)) expect(posts.map(({ author }) => author)).toEqual(['Ida']);
  });

  it('of dev.to have no front matter', async () => {
    expect((await find('dev.to', 'Byte sized episode 1 🚀')).content).toBe('Bits &amp; <kbd>bytes</kbd>.\n');
  });
});
