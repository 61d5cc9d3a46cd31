import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { decompress } from '@cloudpss/zstd';
import { ObjectId } from 'mongodb';
import { decompressBody } from '../../src/rendering/body-codec.js';
import { IndexablePostsService } from '../../src/posts/indexable-posts.service.js';
import { RENDERER } from '../../src/posts/html/post-html.schema.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { useApp } from '../support/app.js';
import { runHandlers } from '../support/cleanup.js';
import type { Person } from '../support/world.js';

const CONTENT =
  '# Note G\n\nIt *weaves*,\nsee [there](https://example.org) and $x^2$.\n\n```ts\nlet a;\n```\n\n<b onclick="x()">b</b>';

describe('posts as HTML', () => {
  const app = useApp();
  const { world } = app;
  let ada: Person;
  let bob: Person;

  beforeAll(async () => {
    [ada, bob] = await world.people(2);
  });

  async function publish(content: string, isPublic = true): Promise<string> {
    const body = { title: 'Notes', content, type: 'article', isPublic };
    return (await app.client.post('/v1/posts', { token: ada.token, body })).body.id;
  }
  const rowOf = (id: string) => app.db.collection('post_html').findOne({ _id: new ObjectId(id) });
  const htmlOf = async (id: string, token?: string) =>
    (await app.client.get(`/v1/posts/${id}/html`, token === undefined ? {} : { token })).body.html;

  it('have formulas, classes of code, a table of contents and no scripts', async () => {
    const { status, headers, body } = await app.client.get(`/v1/posts/${await publish(CONTENT)}/html`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const { html, ...rest } = body;
    const toc = [{ level: 1, id: 'user-content-note-g', text: 'Note G' }];
    expect(rest).toEqual({ toc, hasMath: true, words: 9 });
    expect(html.replace(/<span class="katex">.*?<\/span>(?=\.)/, 'FORMULA')).toBe(
      '<h1 id="user-content-note-g">Note G</h1>\n' +
        '<p>It <em>weaves</em>,<br>\nsee <a href="https://example.org" rel="ugc nofollow noopener">there</a> and FORMULA.</p>\n' +
        '<pre><code class="language-ts">let a;\n</code></pre>\n<p><b>b</b></p>',
    );
  });

  it('are cached, and stored compressed for clients that accept it', async () => {
    const id = await publish(CONTENT.repeat(20));
    const first = await app.client.get(`/v1/posts/${id}/html`);
    const second = await app.client.get(`/v1/posts/notes-${id}/html`);
    expect([first, second].map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
    const etag = first.headers.get('etag')!;
    const again = await app.client.get(`/v1/posts/${id}/html`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);

    const row = await rowOf(id);
    expect(row).toMatchObject({ renderer: RENDERER, version: 1, codec: 'zstd' });
    // Newer versions of fetch would decode zstd.
    const headers = { 'accept-encoding': 'zstd' };
    const stored = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${app.url}/v1/posts/${id}/html`, { headers }, resolve).on('error', reject);
    });
    const bytes = await buffer(stored);
    expect(stored.headers['content-encoding']).toBe('zstd');
    expect(Buffer.compare(bytes, row!['bytes'].buffer)).toBe(0);
    expect(JSON.parse(Buffer.from(decompress(bytes)).toString())).toEqual(first.body);
  });

  it('follow an edit with its response, and are rendered again by another renderer', async () => {
    const id = await publish('old');
    expect(await htmlOf(id)).toBe('<p>old</p>');
    await app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { content: 'new' } });
    expect(await htmlOf(id)).toBe('<p>new</p>');
    expect(await rowOf(id)).toMatchObject({ version: 2 });

    // Stores a row of an earlier renderer, after an edit that empties the cache.
    await app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { content: 'newer' } });
    const outdated = { renderer: RENDERER - 1, version: 3, bytes: Buffer.from('no HTML') };
    await app.db.collection('post_html').updateOne({ _id: new ObjectId(id) }, { $set: outdated });
    expect(await htmlOf(id)).toBe('<p>newer</p>');
    expect(await rowOf(id)).toMatchObject({ renderer: RENDERER, version: 3 });
  });

  it('never replace those of a newer renderer', async () => {
    const id = await publish('text');
    const newer = { renderer: RENDERER + 1, version: 0, codec: 'zstd', rawLength: 1, bytes: Buffer.from('newer') };
    await app.db.collection('post_html').replaceOne({ _id: new ObjectId(id) }, newer);
    expect(await htmlOf(id)).toBe('<p>text</p>');
    expect(await rowOf(id)).toMatchObject({ renderer: RENDERER + 1, version: 0 });
  });

  it('are visible to readers of the post only, and are deleted with it', async () => {
    const id = await publish('secret', false);
    expect((await app.client.get(`/v1/posts/${id}/html`)).status).toBe(404);
    expect((await app.client.get(`/v1/posts/${id}/html`, { token: bob.token })).status).toBe(404);
    expect(await htmlOf(id, ada.token)).toBe('<p>secret</p>');
    await app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { isPublic: true } });
    expect(await htmlOf(id)).toBe('<p>secret</p>');
    await app.client.delete(`/v1/posts/${id}`, { token: ada.token });
    expect((await app.client.get(`/v1/posts/${id}/html`)).status).toBe(404);
    expect(await rowOf(id)).not.toBeNull();
    await runHandlers(app, POST_DELETED, new ObjectId(id));
    expect(await rowOf(id)).toBeNull();
  });

  it('are stored with the post and with each edit, and stay valid while the text is unchanged', async () => {
    const id = await publish('one');
    expect(await rowOf(id)).toMatchObject({ version: 1 });
    const edit = (body: object) => app.client.patch(`/v1/posts/${id}`, { token: ada.token, body });
    await edit({ content: 'two' });
    const row = await rowOf(id);
    expect(row).toMatchObject({ version: 2 });
    await edit({ title: 'Other notes' });
    expect(await rowOf(id)).toEqual({ ...row, version: 3 });
    expect(await htmlOf(id)).toBe('<p>two</p>');
  });

  it('are stored with the searchable text', async () => {
    const id = await publish('Fr**an**k <i class="x">said</i>');
    const body = await app.db.collection('post_bodies').findOne({ _id: new ObjectId(id) });
    const { rawLength, bytes } = body!['text'];
    expect(JSON.parse(decompressBody({ codec: 'zstd', rawLength, bytes: bytes.buffer }))).toEqual({
      headings: [],
      text: 'Frank said',
    });
    const [found] = await app.app.get(IndexablePostsService).find([id]);
    expect(Buffer.compare(found!.text.bytes, bytes.buffer)).toBe(0);
  });

  it('of unsaved texts equal the HTML of a post', async () => {
    const { status, body } = await app.client.post('/v1/render', { token: ada.token, body: { content: CONTENT } });
    expect(status).toBe(200);
    expect(body).toEqual((await app.client.get(`/v1/posts/${await publish(CONTENT)}/html`)).body);
  });
});

describe('texts that take too long', () => {
  const app = useApp({ taskLimits: true });
  const { world } = app;

  it('are returned as escaped text, and do not delay other requests', async () => {
    const ada = await world.person();
    const { id } = await world.post({ by: ada });
    const texts = Object.entries(HOSTILE);
    // Renders as many texts at a time as there are threads.
    // The machine decides which texts take too long. None of them runs a script.
    let escaped = 0;
    const lane = async (): Promise<void> => {
      for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
        const [name, text] = next;
        const content = `${text}\n<script>&`;
        const { status, body } = await app.patient.post('/v1/render', { token: ada.token, body: { content } });
        expect([name, status, body.html.includes('<script')]).toEqual([name, 200, false]);
        if (body.html.endsWith('<br>\n&#60;script&#62;&#38;</p>')) escaped++;
      }
    };
    const read = async (): Promise<false> => {
      expect((await app.client.get(`/v1/posts/${id}`)).status).toBe(200);
      await sleep(50);
      return false;
    };
    const count = texts.length;
    const isOver = Promise.all([lane(), lane()]).then(() => true);
    let answered = 0;
    while (!(await Promise.race([isOver, read()]))) answered++;
    expect(answered).toBeGreaterThan(count);
    expect(escaped).toBeGreaterThan(0);
  });

  it('are published unrendered, and no reader waits for them again', async () => {
    const ada = await world.person();
    const body = { title: 'Slow', content: HOSTILE.formulas, type: 'article' };
    const { status, body: post } = await app.patient.post('/v1/posts', { token: ada.token, body });
    expect([status, post.contentPreview.slice(0, 11)]).toEqual([201, '$a$ $a$ $a$']);
    const row = await app.db.collection('post_html').findOne({ _id: new ObjectId(post.id) });
    expect(row).toMatchObject({ version: 1, renderer: RENDERER });
    const { html } = (await app.client.get(`/v1/posts/${post.id}/html`)).body;
    expect(html.slice(0, 14)).toBe('<p>$a$ $a$ $a$');
  });
});

const LENGTH = 199_900;
const repeat = (piece: string): string => piece.repeat(LENGTH / piece.length);
/** Texts that take more than linear time in some part of the pipeline. */
const HOSTILE = {
  quotes: Array.from({ length: 600 }, (_, line) => `${'>'.repeat(line)} a`).join('\n'),
  brackets: repeat('['),
  emphasis: repeat('*a_ '),
  formulas: repeat('$a$ '),
  cells: [`|${repeat('a|')}`, `|${repeat('-|')}`].map((row) => row.slice(0, LENGTH / 2 - 1)).join('\n'),
};

describe('previews', () => {
  const app = useApp({ env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PREVIEWS_PER_MINUTE: '2' } });
  const { world } = app;

  it('are limited for each account', async () => {
    const [ada, bob] = await world.people(2);
    const preview = async ({ token }: Person) =>
      (await app.client.post('/v1/render', { token, body: { content: 'a' } })).status;
    // A first thread takes seconds to start. The limit allows one more preview every 30 s.
    expect(await preview(bob)).toBe(200);
    expect([await preview(ada), await preview(ada), await preview(ada), await preview(bob)]).toEqual([
      200, 200, 429, 200,
    ]);
    expect((await app.client.post('/v1/render', { body: { content: 'a' } })).status).toBe(401);
  });
});
