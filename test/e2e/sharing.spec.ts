import { type Browser, chromium } from 'playwright-core';
import { useApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { expectProblem } from '../support/problem.js';
import { children, parseXml, textOf } from '../support/xml.js';
import type { Person } from '../support/world.js';

const SITE = 'https://site.example';
const API = 'https://api.example';
const CANONICAL = 'http://blog.example/?a=1&b=2';
const FORMATS = ['bibtex', 'ris', 'csl'];
const HOSTILE = `</script><script>alert(1)</script>"><img src=x onerror=alert(2)>' --> <!-- ]]> 😀`;

const app = useApp({ env: { PUBLIC_SITE_URL: SITE, PUBLIC_SITE_NAME: 'Looms & Letters', HTTP_PUBLIC_URL: API } });
const { world } = app;
let ada: Person;
let bob: Person;
/** An ordinary post. */
let plain: { id: string; slug: string };
let hostile: { id: string; slug: string };

async function publishPost(fields: object = {}): Promise<{ id: string; slug: string }> {
  const body = {
    title: 'Notes',
    content: 'It *weaves*.',
    type: 'research-paper',
    tags: ['looms', 'engines'],
    ...fields,
  };
  return (await app.client.post('/v1/posts', { token: ada.token, body })).body;
}

beforeAll(async () => {
  [ada, bob] = await world.people(2);
  plain = await publishPost({ canonicalUrl: CANONICAL });
  const thumbnailUrl = 'https://images.example.org/a.png?b=1&c=2';
  hostile = await publishPost({ title: HOSTILE, content: `\`${HOSTILE}\``, type: 'article', thumbnailUrl });
});

describe('metadata of a post for other sites', () => {
  it('is Open Graph, a card and schema.org', async () => {
    const { status, body } = await app.client.get(`/v1/posts/${plain.slug}/meta`);
    const post = (await app.client.get(`/v1/posts/${plain.id}`)).body;
    expect(status).toBe(200);
    expect(body).toMatchObject({
      title: 'Notes',
      description: 'It weaves.',
      url: `${SITE}/p/${plain.slug}`,
      canonicalUrl: CANONICAL,
    });
    const named = (name: string) =>
      [...body.openGraph, ...body.twitter].flatMap((tag) => (tag.name === name ? tag.content : []));
    expect(['og:type', 'og:url', 'og:site_name', 'og:image', 'article:tag', 'twitter:card'].map(named)).toEqual([
      ...[['article'], [CANONICAL], ['Looms & Letters'], [], ['looms', 'engines'], ['summary']],
    ]);
    expect(body.jsonLd).toEqual({
      '@context': 'https://schema.org',
      '@type': 'ScholarlyArticle',
      headline: 'Notes',
      description: 'It weaves.',
      ...{ url: CANONICAL, mainEntityOfPage: CANONICAL },
      ...{ datePublished: post.createdAt, dateModified: post.updatedAt, timeRequired: 'PT1M' },
      author: { '@type': 'Person', name: post.author.fullName, url: `${SITE}/u/${ada.username}` },
      publisher: { '@type': 'Organization', name: 'Looms & Letters', url: SITE },
      keywords: ['looms', 'engines'],
    });
    const other = (await app.client.get(`/v1/posts/${hostile.id}/meta`)).body;
    expect(other).toMatchObject({ title: HOSTILE, canonicalUrl: `${SITE}/p/${hostile.slug}` });
    expect(other.jsonLd).toMatchObject({ '@type': 'Article', image: 'https://images.example.org/a.png?b=1&c=2' });
  });

  it('follows an edit and a withdrawal with their responses', async () => {
    const { id } = await publishPost();
    const about = ['/meta', ...FORMATS.map((format) => `/citation?format=${format}`)].map(
      (path) => `/v1/posts/${id}${path}`,
    );
    const paths = [...about, `/p/${id}`, `/v1/oembed?url=${SITE}/p/${id}`];
    const readAll = () => Promise.all(paths.map((path) => app.client.get(path)));
    for (const { status } of await readAll()) expect(status).toBe(200);
    await app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { title: 'Another title' } });
    for (const { body } of await readAll()) expect(JSON.stringify(body)).toContain('Another title');
    await app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { isPublic: false } });
    for (const { status, body } of await readAll()) expect([status, body.code]).toEqual([404, 'post_not_found']);
    // The author may see the post, and other accounts may not.
    for (const [person, status] of [
      [ada, 200],
      [bob, 404],
    ] as const)
      // prettier-ignore
      expect((await app.client.get(paths[0]!, { token: person.token })).status).toBe(status);
    await app.client.delete(`/v1/posts/${id}`, { token: ada.token });
    for (const { status } of await readAll()) expect(status).toBe(404);
  });
});

describe('the citation of a post', () => {
  const getFile = (id: string, format: string) => app.client.get(`/v1/posts/${id}/citation?format=${format}`);

  it.each([
    ['bibtex', 'application/x-bibtex', 'bib'],
    ['ris', 'application/x-research-info-systems', 'ris'],
    ['csl', 'application/vnd.citationstyles.csl+json', 'json'],
  ])('is a file in UTF-8 with author, date, site and canonical URL (%s)', async (format, type, extension) => {
    const { status, headers, body } = await getFile(plain.slug, format);
    expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${plain.slug}.${extension}"`);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (const part of [new Date().getUTCFullYear().toString(), 'Looms ', CANONICAL, 'Notes'])
      expect(text).toContain(part);
    const again = await getFile(`an-older-title-${plain.id}`, format);
    expect([again.body, again.headers.get('x-cache')]).toEqual([body, 'HIT']);
  });

  it('is BibTeX by default, and has the URL of the page without a canonical one', async () => {
    const { body } = await app.client.get(`/v1/posts/${hostile.id}/citation`);
    expect(body).toMatch(/^@misc\{/);
    expect(body).toContain(`url = {${SITE}/p/${hostile.slug}}`);
    expectProblem(await getFile(plain.id, 'endnote'), 400, 'invalid_input');
  });

  it('has tags for Google Scholar, of papers and articles', async () => {
    const tags = async (id: string) => (await app.client.get(`/v1/posts/${id}/meta`)).body.citation;
    const { createdAt, author } = (await app.client.get(`/v1/posts/${plain.id}`)).body;
    expect(await tags(plain.id)).toEqual([
      { name: 'citation_title', content: 'Notes' },
      { name: 'citation_author', content: author.fullName },
      { name: 'citation_publication_date', content: createdAt.slice(0, 10).replaceAll('-', '/') },
      { name: 'citation_fulltext_html_url', content: `${SITE}/p/${plain.slug}` },
    ]);
    expect(await tags((await publishPost({ type: 'poem' })).id)).toEqual([]);
  });
});

describe('oEmbed', () => {
  const getEmbed = (url: string, rest = '') => app.client.get(`/v1/oembed?url=${encodeURIComponent(url)}${rest}`);

  /** Other spellings of the same host. */
  const spellings = (origin: string): string[] => {
    const { hostname } = new URL(origin);
    return [
      `https://${hostname.toUpperCase()}`,
      `HTTPS://${hostname}`,
      `http://${hostname}`,
      `https://${hostname}:443`,
      `http://${hostname}:80`,
      `https://${hostname}.`,
    ];
  };

  it('finds a post by each of its URLs, and by no other', async () => {
    for (const url of [
      `${SITE}/p/${plain.slug}`,
      `${SITE}/p/${plain.id}/`,
      `${SITE}/p/an-older-title-${plain.id}?utm_source=a#b`,
      `${API}/p/${plain.slug}`,
      `${API}/v1/posts/${plain.slug}`,
      ...spellings(SITE).map((site) => `${site}/p/${plain.slug}`),
      ...spellings(API).map((api) => `${api}/p/${plain.id}`),
    ])
      expect([url, (await getEmbed(url)).body.title]).toEqual([url, 'Notes']);
    for (const url of [
      `https://other.example/p/${plain.id}`,
      `${SITE}.evil.example/p/${plain.id}`,
      `${SITE}/u/ada`,
      'x',
      `ftp://${new URL(SITE).host}/p/${plain.id}`,
      `${SITE}:8443/p/${plain.id}`,
      `https://other.example/${SITE}/p/${plain.id}`,
    ])
      expect([url, (await getEmbed(url)).body.code]).toEqual([url, 'post_not_found']);
    expect((await app.client.get('/v1/oembed')).status).toBe(400);
    expect((await getEmbed(SITE, '&format=yaml')).status).toBe(400);
  });

  it('has the same content as JSON and XML, within the requested size', async () => {
    const url = `${SITE}/p/${hostile.slug}`;
    const json = await getEmbed(url, '&maxwidth=320&maxheight=10000');
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { html, ...rest } = json.body;
    expect(rest).toEqual({
      ...{ type: 'rich', version: '1.0', title: HOSTILE, width: 320, height: 200 },
      ...{ author_name: expect.stringMatching(/^Person /), author_url: `${SITE}/u/${ada.username}` },
      ...{ provider_name: 'Looms & Letters', provider_url: SITE },
    });
    expect(html).not.toMatch(/<(?!\/?(?:blockquote|p|a|footer)\b)/);
    const xml = await getEmbed(url, '&maxwidth=320&format=xml');
    expect(xml.headers.get('content-type')).toBe('text/xml; charset=utf-8');
    const root = parseXml(xml.body);
    for (const [name, value] of Object.entries(json.body)) expect(textOf(root, name)).toBe(String(value));
    expect(children(root, 'html')).toHaveLength(1);
  });
});

describe('the page of a post for crawlers', () => {
  it('has tags, a preview and links, in one form for all URLs', async () => {
    const { status, headers, body } = await app.client.get(`/p/${plain.slug}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
    const oembed = `${API}/v1/oembed?url=${encodeURIComponent(`${SITE}/p/${plain.slug}`)}&#38;format=json`;
    for (const part of [
      '<title>Notes</title>',
      '<meta property="og:title" content="Notes">',
      '<link rel="canonical" href="http://blog.example/?a=1&#38;b=2">',
      `<link rel="alternate" type="application/json+oembed" href="${oembed}">`,
      `<link rel="alternate" type="application/atom+xml" href="${API}/v1/users/${ada.username}/feed.atom">`,
      '<p dir="auto">It weaves.</p>',
      `<a href="${SITE}/p/${plain.slug}">Looms &#38; Letters</a>`,
    ])
      expect(body).toContain(part);
    const again = await app.client.get(`/p/an-older-title-${plain.id}`);
    expect([again.body, again.headers.get('x-cache')]).toEqual([body, 'HIT']);
    const known = await app.client.get(`/p/${plain.id}`, { headers: { 'if-none-match': headers.get('etag')! } });
    expect(known.status).toBe(304);
    // Some clients encode the URL like this.
    const encoded = await app.client.get(`/p/${plain.slug.replaceAll('-', '%2D')}`);
    expect([encoded.body, encoded.headers.get('x-cache')]).toEqual([body, 'HIT']);
    // Other sites add such parameters to a link.
    const shared = await app.client.get(`/p/${plain.id}?utm_source=a`);
    expect([shared.status, shared.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(shared.body).toBe(body);
    expect(shared.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
  });

  it('is 404 for an unknown post', async () => {
    expect((await app.client.get(`/p/${ada.id}`)).status).toBe(404);
    expect((await app.client.get('/p/nothing')).status).toBe(400);
  });

  describeWith('chromium', 'in a browser', (executablePath) => {
    let browser: Browser | undefined;

    beforeAll(async () => {
      const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
      browser = await chromium.launch({ executablePath, args });
    });
    afterAll(() => browser?.close());

    it('runs no script, loads no resource, and shows the text of the author', async () => {
      const page = await browser!.newPage();
      const seen: string[] = [];
      page.on('dialog', (dialog) => {
        seen.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => seen.push(`console ${message.text()}`));
      page.on('request', (request) => seen.push(`request ${new URL(request.url()).pathname}`));
      await page.goto(`${app.url}/p/${hostile.id}`, { waitUntil: 'load', timeout: 60_000 });
      const found = await page.evaluate(`({
        title: document.title,
        heading: document.querySelector('h1').textContent,
        card: document.querySelector('meta[property="og:title"]').content,
        data: JSON.parse(document.querySelector('script').textContent).headline,
        parts: [...new Set([...document.querySelectorAll('*')].map((one) => one.localName))].sort().join(' '),
        handlers: [...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on')),
      })`);
      expect(found).toEqual({
        ...{ title: HOSTILE, heading: HOSTILE, card: HOSTILE, data: HOSTILE, handlers: [] },
        parts: 'a body h1 head html link meta p script time title',
      });
      expect(seen.filter((what) => what !== 'request /favicon.ico')).toEqual([`request /p/${hostile.id}`]);
      await page.close();
    });
  });
});
