import { IMPORT_STARTED } from '../../src/imports/imports.events.js';
import { useApp } from '../support/app.js';
import { TINY_PNG } from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import { verbsOf } from '../support/verbs.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { Person } from '../support/world.js';
import { zipOf } from '../support/zips.js';

const PATH = '/v1/users/me/imports';

/** the old site of the account */
const site = await WebhookReceiver.start();
const at = (path: string): string => `http://${site.host}${path}`;
const serve = (path: string, body: string | Buffer, headers: Record<string, string> = {}): void =>
  site.on(path, (response) => void response.writeHead(200, headers).end(body));

const page = (article: string, head = ''): string =>
  `<!doctype html><html><head><title>Looms – The mill</title>${head}</head><body><nav>Menu</nav>${article}</body></html>`;
const item = (name: string, html: string): string =>
  `<item><title>${name}</title><link>/posts/${name}</link><pubDate>Wed, 01 May 2019 09:30:00 GMT</pubDate>
   <category>Mills</category><description><![CDATA[${html}]]></description></item>`;
const feed = (...items: string[]): string => `<rss version="2.0"><channel>${items.join('')}</channel></rss>`;

describe('an import of an address', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', OUTGOING_ALLOWED_PRIVATE: site.host } });
  afterAll(() => site.stop());
  const { world } = app;
  const { ok, walk } = verbsOf(app);

  beforeEach(() => {
    site.received.length = 0;
    serve('/images/loom.png', TINY_PNG);
  });

  const send = ({ token }: Person, url: string) =>
    app.patient.post(`${PATH}/address`, { token, body: { address: url } });

  async function imported(by: Person, path: string): Promise<any> {
    const { status, headers, body } = await send(by, at(path));
    expect([status, body.state, headers.get('location')]).toEqual([202, 'waiting', `${PATH}/${body.id}`]);
    await runTasks(app, [IMPORT_STARTED]);
    return ok(by, 'GET', `users/me/imports/${body.id}`);
  }

  async function draftsOf(by: Person): Promise<any[]> {
    const drafts = [];
    for (const { id } of await walk('drafts', 10, by)) drafts.push(await ok(by, 'GET', `drafts/${id}`));
    return drafts.sort((a, b) => (a.title < b.title ? -1 : 1));
  }

  it('makes a draft of the article of a page, and reads only the page and its images', async () => {
    const author = await world.person();
    const article = `<article><h1>Looms</h1><time datetime="2019-05-01T09:30:00Z">May</time><p>An engine
      <a href="engine.html?a=1&amp;b=(2)">weaves</a>, <a href="#end">then</a> rests. <img src="../images/loom.png" alt="a loom"></p></article>`;
    const head =
      '<link rel="canonical" href="/looms"><link rel="stylesheet" href="/style.css"><script src="/a.js"></script>';
    serve('/posts/looms.html', page(article, head));

    const { state, format, address, counts, problems } = await imported(author, '/posts/looms.html');
    const [draft] = await draftsOf(author);

    expect({ state, format, address, problems }).toEqual({
      ...{ state: 'ready', format: 'page', address: at('/posts/looms.html'), problems: [] },
    });
    expect(counts).toMatchObject({ read: 1, drafts: 1, images: 1, fetched: 1 });
    expect(draft).toMatchObject({
      ...{ title: 'Looms', canonicalUrl: at('/looms'), importedAt: '2019-05-01T09:30:00.000Z' },
    });
    expect(draft.content).toMatch(/!\[a loom\]\(media:[0-9a-f]{24}\)/);
    expect(draft.content).toContain(`[weaves](${at('/posts/engine.html?a=1&amp;b=%282%29')}), [then](#end)`);
    expect(draft.content).not.toMatch(/Menu|Looms/);
    expect(site.received.map(({ path }) => path)).toEqual(['/posts/looms.html', '/images/loom.png']);
  });

  it('makes a draft of each post of a feed, once, also by the address of its page', async () => {
    const author = await world.person();
    serve('/feed', feed(item('looms', '<p>It weaves. <img src="/images/loom.png"></p>'), item('gears', 'They turn.')));
    serve('/posts/gears', page('<article>They turn, and turn.</article>'));

    const { format, counts } = await imported(author, '/feed');
    const drafts = await draftsOf(author);
    serve('/feed', feed(item('mills', 'They grind.'), item('looms', '<p>It weaves.</p>')));
    const later = await imported(author, '/feed');
    const again = await imported(author, '/posts/gears');

    expect([format, counts]).toMatchObject(['feed', { drafts: 2, images: 1 }]);
    const expected = { tags: ['mills'], importedAt: '2019-05-01T09:30:00.000Z' };
    expect(drafts).toMatchObject(
      ['gears', 'looms'].map((title) => ({ title, canonicalUrl: at(`/posts/${title}`), ...expected })),
    );
    expect(later.counts).toMatchObject({ drafts: 1, repeated: 1 });
    expect(again.counts).toMatchObject({ drafts: 0, repeated: 1 });
  });

  it('publishes the drafts with their dates, and links between them lead to the new posts', async () => {
    const author = await world.person({ createdAt: new Date(0) });
    serve('/feed', feed(item('looms', 'After <a href="gears">gears</a>.'), item('gears', 'They turn.')));
    const { id } = await imported(author, '/feed');

    await ok(author, 'POST', `users/me/imports/${id}/publish`);
    await runTasks(app, [IMPORT_STARTED]);
    const posts: any[] = (await ok(null, 'GET', `users/${author.username}/posts`)).data;
    const [gears, looms] = posts.sort((a, b) => (a.title < b.title ? -1 : 1));
    const { content } = await ok(null, 'GET', `posts/${looms.id}`);

    expect(posts.map(({ createdAt }) => createdAt)).toEqual(Array(2).fill('2019-05-01T09:30:00.000Z'));
    expect(content).toContain(`/p/${gears.id})`);
  });

  it('takes relative addresses by the address after redirects', async () => {
    const author = await world.person();
    site.on('/old', (response) => void response.writeHead(302, { location: '/posts/new/' }).end());
    serve('/posts/new/', page('<main><p><a href="next">Next</a></p></main>'));

    const { address } = await imported(author, '/old');
    const [draft] = await draftsOf(author);

    expect(address).toBe(at('/posts/new/'));
    expect(draft).toMatchObject({ canonicalUrl: address, importedAt: null });
    expect(draft.content).toContain(`[Next](${at('/posts/new/next')})`);
  });

  it.each([
    ['its headers', '', { 'content-type': 'text/html; charset=ISO-8859-1' }],
    ['the page', '<meta charset="iso-8859-1">', {}],
  ])('reads text in the encoding that %s names', async (_, head, headers: Record<string, string>) => {
    const author = await world.person();
    serve('/latin', Buffer.from(page('<article>Grüße</article>', head).replace('–', '-'), 'latin1'), headers);

    await imported(author, '/latin');

    expect((await draftsOf(author))[0].content).toBe('Grüße\n');
  });

  it('names what a page lacks', async () => {
    const author = await world.person();
    serve('/home', page('<div>A list of links</div>'));
    serve('/text', 'No page.');

    const home = await imported(author, '/home');
    const text = await imported(author, '/text');

    expect(home).toMatchObject({ state: 'ready', counts: { drafts: 0 } });
    expect(home.problems).toMatchObject([{ entry: at('/home'), code: 'no_article' }]);
    expect(text).toMatchObject({ state: 'failed', failure: 'unknown_format' });
  });

  it('refuses an address that has no page at once, which counts for no limit', async () => {
    const author = await world.person();
    site.on('/none', (response) => void response.writeHead(404).end());
    serve('/archive.zip', await zipOf({ 'a.md': 'text \u{1f600}'.repeat(50) }));
    serve('/large', Buffer.alloc(5 * 1024 * 1024 + 1, ' '));

    expectProblem(await send(author, 'ftp://example.org/feed'), 400, 'invalid_input');
    const urls = [
      'http://127.0.0.1:9/',
      'http://169.254.169.254/latest',
      at('/none'),
      at('/archive.zip'),
      at('/large'),
    ];
    for (const url of urls) {
      const answer = await send(author, url);
      expectProblem(answer, 400, 'import_failed');
      expect(answer.body.errors[0].field).toBe('address');
    }

    expect((await ok(author, 'GET', 'users/me/imports')).data).toEqual([]);
    expect(await app.db.collection('archive_imports').countDocuments({ userId: author._id })).toBe(0);
  });

  it('runs one at a time for an account, and three a day', async () => {
    const author = await world.person();
    serve('/feed', feed(item('looms', 'It weaves.')));
    expect((await send(author, at('/feed'))).status).toBe(202);
    const beside = await send(author, at('/feed'));
    await runTasks(app, [IMPORT_STARTED]);
    await imported(author, '/feed');
    await imported(author, '/feed');
    site.received.length = 0;
    const fourth = await send(author, at('/feed'));

    expectProblem(beside, 409, 'import_running');
    expectProblem(fourth, 409, 'too_many_imports');
    expect(site.received).toEqual([]);
  });
});
