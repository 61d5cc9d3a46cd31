import { renderMarkdown } from '../../src/rendering/render-markdown.js';
import { IMPORT_STARTED } from '../../src/imports/imports.events.js';
import type { ArchivePost } from '../../src/imports/archive.js';
import { useApp } from '../support/app.js';
import { archiveOf, goldenFiles, readArchive } from '../support/archives.js';
import { formOf, TINY_PNG } from '../support/pictures.js';
import { seen } from '../support/seen-text.js';
import { runTasks } from '../support/tasks.js';
import { verbsOf } from '../support/verbs.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { Person } from '../support/world.js';
import { zipOf } from '../support/zips.js';

/** the sites of the archives, as far as they serve images */
const site = await WebhookReceiver.start();

type Expected = { format?: string; fetched: number; drafts: string[]; problems: string[] };

const PLATFORMS: Record<string, Expected> = {
  'own-export': {
    fetched: 0,
    drafts: [
      ' | - | water | 0',
      '007 (A rope) | - | - | 0',
      'The well: "how deep?" | 2023-04-01T08:15:30.123Z | water,history | 1+1',
    ],
    problems: ['drafts/2024-01-09-6650c3a2f1d2b3c4d5e6f710.md no_title'],
  },
  'own-export-0.3': {
    format: 'own-export',
    fetched: 0,
    drafts: [
      ' | - | water | 0',
      '007 (A rope and its knots) | - | - | 0',
      'The well: "how deep?" | 2023-04-01T08:15:30.123Z | water,history | 1+1',
    ],
    problems: ['drafts/2024-01-09-6650c3a2f1d2b3c4d5e6f710.md no_title'],
  },
  hugo: {
    format: 'markdown',
    fetched: 0,
    drafts: [
      'Night train to Łódź | 2020-02-29T00:00:00.000Z | travel,110 | 1+1',
      'Paper boats — a manual | 2019-07-03T08:30:00.000Z | paper,ünterwegs,crafts | 0+1',
      'Unfinished | - | - | 0',
    ],
    problems: [
      'content/posts/broken.md invalid_front_matter',
      'content/posts/unfinished.md invalid_date',
      'content/posts/unfinished.md import_failed',
    ],
  },
  jekyll: {
    format: 'markdown',
    fetched: 0,
    drafts: [
      'Compost | - | - | 0',
      'First frost & other news | 2012-11-05T06:45:12.000Z | frost,garden,weather | 0+1',
      'Seed list | 2013-01-02T00:00:00.000Z | seeds,order-form | 0',
      'Written as HTML | - | - | 0',
    ],
    problems: [],
  },
  hashnode: {
    format: 'markdown',
    fetched: 2,
    drafts: [
      'Caching: the hard part | 2023-03-16T10:20:30.000Z | javascript,web-development,caching | 0+1',
      'The second part | 2023-03-17T08:00:00.000Z | javascript | 1',
      'Wörter | 2023-03-18T08:00:00.000Z | - | 0',
    ],
    problems: [],
  },
  'dev.to': {
    fetched: 2,
    drafts: [
      'Byte sized episode 1 🚀 | 2019-08-15T06:30:00.000Z | beginners | 0',
      'Byte sized episode 2: "Creating" a graph | 2019-08-22T06:30:00.000Z | computerscience,graphs,100daysofcode | 1+1',
      '[Not finished] | - | - | 0',
    ],
    problems: [],
  },
  'dev.to-export': {
    format: 'dev.to',
    fetched: 1,
    drafts: ['Short | 2021-03-02T12:00:00.000Z | sql,beginners | 0+1'],
    problems: ['comments.json not_recognised'],
  },
  ghost: {
    fetched: 1,
    drafts: [
      '(Untitled) | - | - | 0',
      'Bread & salt: “a house” | 2021-05-10T06:00:00.000Z | baking,häuser | 1+1',
      'For members | - | - | 0',
      'The oven (How it heats) | 2021-06-01T07:30:00.000Z | baking | 0+1',
    ],
    problems: ['loaves.ghost.2023-11-14.json not_public', 'loaves.ghost.2023-11-14.json no_content'],
  },
  wordpress: {
    fetched: 3,
    drafts: [
      'A letter | - | - | 0',
      'Behind a password | - | - | 0',
      'Ropes & knots | 2010-03-13T18:20:00.000Z | knots--bends,seamanship | 1+1',
      'Winter 😀 | 2011-01-10T08:00:00.000Z | eis | 1',
    ],
    problems: ['harbour.WordPress.2022-01-31.xml not_public'],
  },
  medium: {
    fetched: 1,
    drafts: [
      'Contour lines | - | - | 0',
      'Maps & Legends | 2018-09-30T14:05:00.123Z | - | 1+1',
      'On scale | 2018-10-07T09:00:00.000Z | - | 0',
    ],
    problems: ['posts/2019-01-02_Thank-you--this-helped-me-find-the--0011223344ff.html response'],
  },
  substack: {
    fetched: 1,
    drafts: [
      'For friends | - | - | 0',
      'Nächste Woche | - | - | 0',
      'The "late" ferry, again (Fog < rain & wind) | 2022-04-03T07:00:12.345Z | - | 1',
      'The pier | 2022-05-01T07:00:00.000Z | - | 0',
    ],
    problems: ['posts/105500.for-friends.html not_public', 'posts.csv no_content'],
  },
  rss: {
    format: 'feed',
    fetched: 1,
    drafts: [
      'Lanterns & fog | 2021-04-02T23:30:00.000Z | lights,harbor--sea | 1',
      'Nets | 2021-04-01T14:00:00.000Z | - | 0',
    ],
    problems: ['https://tide.example.org/2021/nothing/ no_content'],
  },
  atom: {
    format: 'feed',
    fetched: 1,
    drafts: [
      'A summary | 2020-04-01T12:00:00.000Z | - | 0',
      'Glaze & ash | 2020-06-01T06:15:00.000Z | glazes | 1',
      'If a < b, then <b> is text | 2020-05-01T12:00:00.000Z | - | 0',
    ],
    problems: [],
  },
  page: {
    fetched: 1,
    drafts: ['Hedges & walls | 2017-03-04T04:06:07.000Z | - | 1'],
    problems: ['Hedges & walls html_dropped'],
  },
};

describe('a golden archive', () => {
  const app = useApp({ env: { OUTGOING_ALLOWED_PRIVATE: site.host } });
  afterAll(() => site.stop());
  const { ok, walk } = verbsOf(app);

  /** Replaces images by a PNG, and images of other sites by addresses that serve it. */
  function withImages(files: Record<string, Buffer>): Record<string, Buffer> {
    const bytesOf = (path: string, bytes: Buffer): Buffer => {
      if (/\.(?:jpg|png|webp)$/.test(path)) return TINY_PNG;
      const text = bytes.toString().replace(/https:\/\/[^\s"'()<>]+?\.(?:jpe?g|png)\b/g, (address) => {
        const { pathname } = new URL(address);
        site.on(pathname, (response) => void response.end(TINY_PNG));
        return `http://${site.host}${pathname}`;
      });
      return Buffer.from(text);
    };
    return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytesOf(path, bytes)]));
  }

  async function imported({ token, ...by }: Person, bytes: Buffer): Promise<any> {
    const { status, body } = await app.client.post('/v1/users/me/imports', { token, ...formOf({ bytes }) });
    expect([status, body.state]).toEqual([202, 'waiting']);
    await runTasks(app, [IMPORT_STARTED]);
    return ok({ token, ...by }, 'GET', `users/me/imports/${body.id}`);
  }

  async function draftsOf(by: Person): Promise<any[]> {
    const drafts = [];
    for (const { id } of await walk('drafts', 10, by)) drafts.push(await ok(by, 'GET', `drafts/${id}`));
    return drafts.sort((a, b) => (a.title < b.title ? -1 : 1));
  }

  const imagesOf = (content: string): number => content.match(/(?<=\(|")media:[0-9a-f]{24}/g)?.length ?? 0;
  const lineOf = ({ title, subtitle, importedAt, tags, thumbnailUrl, content }: any): string =>
    [
      title + (subtitle === null ? '' : ` (${subtitle})`),
      importedAt ?? '-',
      tags.join(',') || '-',
      `${imagesOf(content)}${thumbnailUrl === null ? '' : '+1'}`,
    ].join(' | ');
  const shown = (markdown: string): string => seen(renderMarkdown(markdown).html);
  const wordsOf = ({ title, content, contentFormat }: ArchivePost): string[] => [
    title,
    contentFormat === 'html' ? seen(content) : shown(content),
  ];

  it.each(Object.entries(PLATFORMS))('of %s becomes drafts with every word, once', async (platform, expected) => {
    const author = await app.world.person();
    const files = withImages(goldenFiles(platform));
    const [only, ...others] = Object.values(files);
    const zip = await zipOf(files);

    const { state, format, counts, problems } = await imported(author, zip);
    const drafts = await draftsOf(author);
    const media = await walk('media/mine', 10, author);
    // The second time, an archive of one file is this file.
    const again = await imported(author, others.length === 0 ? only! : zip);
    const { posts } = await readArchive(archiveOf(files));

    expect([state, format]).toEqual(['ready', expected.format ?? platform]);
    expect(drafts.map(lineOf)).toEqual(expected.drafts);
    expect(problems.map(({ entry, code }: any) => `${entry} ${code}`)).toEqual(expected.problems);
    expect(new Set(drafts.map(({ title, content }) => [title, shown(content)].join(' | ')))).toEqual(
      new Set(posts.map((post) => wordsOf(post).join(' | '))),
    );
    expect(counts).toMatchObject({ drafts: drafts.length, repeated: 0, fetched: expected.fetched });
    expect(again.counts).toMatchObject({ drafts: 0, repeated: drafts.length, images: 0 });
    expect(await walk('drafts', 10, author)).toHaveLength(drafts.length);
    expect(media).toHaveLength(1);
  });
});
