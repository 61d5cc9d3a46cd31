import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { OWN_SEGMENTS } from '../../src/config/opencanvas-mount.js';
import { FRAME_PATHS } from '../../src/site/frame-paths.js';
import type { Answer } from '../support/client.js';
import { startApp, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const HTML = 'text/html; charset=utf-8';

describe('the site', () => {
  const app = useApp({ search: true, oneHost: 'the spec reads the cache of the server' });
  const { world } = app;
  const open = (path: string, headers: Record<string, string> = BROWSER): Promise<Answer<string>> =>
    app.client.get(path, { headers });
  const tagsOf = (url: string): string[] | undefined => app.app.get(ResponseCache).store.getByUrl(url)?.tags;
  let ada: Person;

  beforeAll(async () => {
    ada = await world.person({ username: 'ada_l', fullName: 'Ada <b>Lovelace</b>' });
  });

  it('has pages of posts, accounts, tags, collections and a search, which hits of the cache repeat', async () => {
    const post = await world.post({ by: ada, title: 'Notes & <i>notes</i>', tags: ['looms'] });
    const list = await world.collection({ by: ada, title: 'Reading' });
    const paths = ['/', '/latest', '/top?window=week', '/tags', '/tags/looms', '/writers'];

    for (const path of [...paths, `/p/${post.slug}`, '/u/ada_l', '/search', `/collections/${list.slug}`]) {
      const first = await open(path);
      const second = await open(path);
      expect([path, first.status, first.headers.get('content-type')]).toEqual([path, 200, HTML]);
      expect([path, second.headers.get('x-cache'), second.body]).toEqual([path, 'HIT', first.body]);
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(first.body).toMatch(/^<!doctype html>[^]*<h1[^]*<\/html>\n$/);
      expect(first.body.match(/<h1/g)).toHaveLength(1);
      expect(first.body).not.toMatch(/<b>Lovelace|<i>notes/);
    }
    expect((await open(`/p/${post.slug}`)).body).toContain(
      '<title>Notes &amp; &lt;i&gt;notes&lt;/i&gt; – OpenCanvas</title>',
    );
  });

  it('allows only its own styles and scripts, and no frame around it', async () => {
    const { headers } = await open('/');
    const policy = headers.get('content-security-policy')!;
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      expect(policy.split('; ')).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['application/json, text/html;q=0.9', 'json'],
    ['text/html;q=0', 'json'],
    ['text/*', 'json'],
    ['text/html', 'html'],
    ['text/html;q=0.5, */*;q=0.1', 'html'],
    ['application/xhtml+xml', 'html'],
    [BROWSER.accept, 'html'],
  ])('returns at / for Accept: %s %s', async (accept, form) => {
    for (const path of ['/', '/?utm_source=mail']) {
      const { status, headers, body } = await open(path, accept === undefined ? {} : { accept });
      expect([status, headers.get('vary')]).toEqual([200, expect.stringContaining('Accept')]);
      expect(form === 'html' ? String(body).slice(0, 15) : (body as unknown as { name: string }).name).toBe(
        form === 'html' ? '<!doctype html>' : 'opencanvas-api',
      );
    }
  });

  it('caches a page with the tags of the responses that it shows', async () => {
    const post = await world.post({ by: ada, tags: ['engines'] });
    await world.comment({ by: ada, on: post.id });
    const reads: Record<string, string[]> = {
      '/hot': ['/v1/feed', '/v1/users/top?limit=5'],
      '/tags/engines': ['/v1/feed?sort=latest&tag=engines', '/v1/users/top?limit=5', '/v1/tags/engines'],
      '/u/ada_l': ['/v1/users/ada_l', '/v1/users/ada_l/posts'],
      [`/p/${post.slug}`]: ['', '/html', '/meta', '/related?limit=4', '/comments'].map(
        (below) => `/v1/posts/${post.id}${below}`,
      ),
    };

    for (const [page, urls] of Object.entries(reads)) {
      expect((await open(page)).status).toBe(200);
      const expected = new Set([...urls, '/v1/instance'].flatMap((url) => tagsOf(url)!));
      expect([page, new Set(tagsOf(page))]).toEqual([page, expected]);
    }
  });

  it.each(['hides', 'deletes'])('omits a post from all pages when its author %s it', async (what) => {
    const post = await world.post({ by: ada, title: `Ends: ${what}`, tags: ['ends'] });
    const list = await world.collection({ by: ada, title: 'A list' });
    await app.client.put(`/v1/collections/${list.id}/posts/${post.id}`, { token: ada.token, body: {} });
    const { slug: related } = await world.post({ by: ada, tags: ['ends'] });
    const paths = ['/latest', '/tags/ends', '/u/ada_l', `/collections/${list.slug}`, `/p/${related}`];
    for (const path of [...paths, `/p/${post.slug}`])
      expect([path, (await open(path)).body]).toEqual([path, expect.stringContaining(`Ends: ${what}`)]);

    if (what === 'hides') await world.editPost(post.id, { by: ada, visibility: 'private' });
    else await world.deletePost(post.id, { by: ada });

    for (const path of paths) expect([path, (await open(path)).body.includes(`Ends: ${what}`)]).toEqual([path, false]);
    const page = await open(`/p/${post.slug}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, HTML]);
    expectProblem(await open(`/p/${post.slug}`, { accept: 'application/json' }), 404, 'post_not_found');
  });

  it('has new comments, and no deleted ones, as soon as the API', async () => {
    const post = await world.post({ by: ada });
    await open(`/p/${post.slug}`);
    const { id } = await world.comment({ by: ada, on: post.id, content: 'It **weaves**.' });
    expect((await open(`/p/${post.slug}`)).body).toContain('<p>It <strong>weaves</strong>.</p>');
    const reply = await world.comment({ by: ada, on: post.id, parentId: id, content: 'Patterns.' });
    expect((await open(`/p/${post.slug}`)).body).toContain('<p>Patterns.</p>');
    await app.client.delete(`/v1/comments/${reply.id}`, { token: ada.token });
    expect((await open(`/p/${post.slug}`)).body).not.toContain('Patterns.');
  });

  it('redirects other forms of a URL, and keeps known parameters', async () => {
    const { id, slug } = await world.post({ by: ada, title: 'The first title' });
    const list = await world.collection({ by: ada, title: 'A list' });
    for (const [path, location] of [
      [`/p/${id}`, `/p/${slug}`],
      [`/p/an-older-title-${id}?utm_source=x`, `/p/${slug}`],
      [`/collections/${list.id}`, `/collections/${list.slug}`],
      ['/u/ADA_L?tab=collections', '/u/ada_l?tab=collections'],
      ['/tags/LOOMS?type=poem&x=1', '/tags/looms?type=poem'],
    ] as const) {
      const { status, headers } = await open(path);
      expect([path, status, headers.get('location')]).toEqual([path, 301, location]);
    }
  });

  it('ignores unknown parameters, and rejects wrong values as the API does', async () => {
    await open('/latest');
    expect((await open('/latest?utm_source=mail&type=')).headers.get('x-cache')).toBe('HIT');
    const wrong = await open('/latest?type=novel');
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([400, HTML]);
    expectProblem(await open('/latest?type=novel', {}), 400, 'invalid_input');
  });

  it('has an error page for browsers at every URL outside of the API', async () => {
    for (const path of ['/nothing', '/u/nobody_here', '/assets/none.css', '/p/0123456789abcdef01234567']) {
      const { status, headers, body } = await open(path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, HTML]);
      expect(body).toContain('Page not found');
    }
    expectProblem(await open('/v1/nothing'), 404, 'not_found');
    expectProblem(await open('/nothing', {}), 404, 'not_found');
  });

  it('has files with names of their content, compressed by the build', async () => {
    const { body } = await open('/');
    const [, path] = /<link rel="stylesheet" href="(\/assets\/site-[A-Z0-9]{8}\.css)">/.exec(body)!;
    const { status, headers, body: style } = await open(path!, { 'accept-encoding': 'br' });
    expect([status, headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(style).toContain('prefers-color-scheme');
  });

  it('has one script in public pages, a file, and the styles of formulas only by their hash', async () => {
    const { slug } = await world.post({ by: ada, content: 'Then $$\\frac{a}{b}$$ holds.' });
    const { body, headers } = await open(`/p/${slug}`);
    const [, style] = /<style>(.*)<\/style>/.exec(body)!;
    expect(style).toMatch(/^(?:\.f\d+\.f\d+\{[^{}<>]*\})+$/);
    expect(headers.get('content-security-policy')).toMatch(/style-src 'self' 'sha256-[^']{44}'$/);
    expect(body).not.toMatch(/ style="/);
    expect(body.match(/<script(?! type="application\/ld\+json").*/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="\/assets\/entry-public-\w+\.js"><\/script>$/),
    ]);
  });

  it('has metadata and links for other sites in the page of a post', async () => {
    const { slug } = await world.post({ by: ada, title: 'Shared' });
    const { body } = await open(`/p/${slug}`);
    for (const part of [
      '<meta property="og:title" content="Shared">',
      '<script type="application/ld+json">{"@context":"https://schema.org"',
      'type="application/json+oembed"',
      '<link rel="alternate" type="application/atom+xml" href="/v1/users/ada_l/feed.atom">',
    ])
      expect(body).toContain(part);
    expect(body).not.toContain('noindex');
    const { slug: article } = await world.post({ by: ada, title: '"Quoted"', type: 'article' });
    expect((await open(`/p/${article}`)).body).toContain('<meta name="citation_title" content="&quot;Quoted&quot;">');
    const { slug: unlisted } = await world.post({ by: ada, visibility: 'unlisted' });
    expect((await open(`/p/${unlisted}`)).body).toContain('<meta name="robots" content="noindex">');
  });

  it('finds posts and people, and marks the words', async () => {
    await world.post({ by: ada, title: 'The difference engine' });
    const found = await open('/search?q=difference');
    expect(found.status).toBe(200);
    expect(found.body).toContain('<input type="search" name="q" value="difference"');
  });

  it('leads from page to page by links', async () => {
    for (let at = 0; at < 21; at++) await world.post({ by: ada, type: 'poem' });
    const { body } = await open('/latest?type=poem');
    const [, next] = /<a class="button" rel="next" href="(\/latest\?type=poem&amp;cursor=[^"]+)"/.exec(body)!;
    const second = await open(next!.replaceAll('&amp;', '&'));
    expect(second.status).toBe(200);
    expect(second.body.match(/<article/g)).toHaveLength(1);
  });

  it('has a frame for each page that runs in the browser', async () => {
    const segments = [...new Set(FRAME_PATHS.map((path) => path.split('/', 1)[0]!))];
    // The types of browsers are not those of the tests, so the table is not imported.
    const table = readFileSync('web/src/frames.ts', 'utf8');
    expect(segments).toEqual([...table.matchAll(/^  '\/([a-z-]+)':/gm)].map(([, segment]) => segment));
    expect(segments.filter((segment) => !OWN_SEGMENTS.has(segment))).toEqual([]);
    for (const path of FRAME_PATHS) {
      const { status, body } = await open(`/${path.replace(':id', 'a'.repeat(24))}`);
      expect([path, status]).toEqual([path, 200]);
      expect(body).toContain('needs JavaScript');
    }
  });
});

describe('a page and the limits', () => {
  const env = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_READS_PER_MINUTE: '3' };
  const app = useApp({ env, oneHost: 'the limits of one server' });

  it('costs one read, also if it reads several routes', async () => {
    const remaining = [];
    for (const path of ['/latest', '/latest?type=poem', '/latest?type=story', '/latest?type=book'])
      remaining.push((await app.client.get(path)).headers.get('x-ratelimit-remaining'));
    expect(remaining).toEqual(['2', '1', '0', '0']);
    expectProblem(await app.client.get('/latest?type=article'), 429, 'rate_limited');
  });
});

describe('styles of the operator', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'opencanvas-styles-')), 'own.css');
  writeFileSync(file, ':root { --accent: #8a3b5c; }\n');
  const app = useApp({ env: { SITE_STYLESHEET: file } });

  it('follow those of the site, under a name of their content', async () => {
    const { body } = await app.client.get<string>('/latest');
    const sheets = [...body.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href]) => href!);
    expect(sheets).toEqual([
      expect.stringMatching(/^\/assets\/site-/),
      expect.stringMatching(/^\/own-styles\/[\w-]+\.css$/),
    ]);
    const own = await app.client.get(sheets[1]!);
    expect([own.status, own.body]).toEqual([200, ':root { --accent: #8a3b5c; }\n']);
    expect(own.headers.get('cache-control')).toContain('immutable');
  });

  it('stop the start if the file does not exist', async () => {
    await expect(startApp({ env: { SITE_STYLESHEET: '/nowhere.css' } })).rejects.toThrow(
      'SITE_STYLESHEET cannot be read',
    );
  });
});

describe('a server with SITE=off', () => {
  const app = useApp({ env: { SITE: 'off' } });

  it('has no pages', async () => {
    const index = await app.client.get('/', { headers: BROWSER });
    expect(index.body.name).toBe('opencanvas-api');
    for (const path of ['/latest', '/search', '/u/ada_l', '/assets/site.css'])
      expectProblem(await app.client.get(path, { headers: BROWSER }), 404, 'not_found');
  });
});
