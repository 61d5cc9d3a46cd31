import { ObjectId } from 'mongodb';
import { indexAll, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const DRAFT = { title: 'Looms', content: 'It *weaves*.', type: 'article', tags: ['looms'] };
const DAY_MS = 86_400_000;
const SUBTITLE = 'What a mill can compute';

const app = useApp({ search: true, env: { CACHE_FEED_TTL_MS: '0', NEWCOMER_DAYS: '3' } });
const { world } = app;
const { send, ok, act } = verbsOf(app);
let author: Person;
let reader: Person;
const createPost = (fields: object = {}): Promise<any> => ok(author, 'POST', 'posts', { ...DRAFT, ...fields });
const edit = (id: string, body: object): Promise<any> => ok(author, 'PATCH', `posts/${id}`, body);

beforeAll(async () => {
  [author, reader] = await world.people(2, { createdAt: new Date(Date.now() - 4 * DAY_MS) });
  await indexAll(app);
});

describe('the subtitle of a post', () => {
  it('is one line of 1 to 120 characters, or null', async () => {
    for (const subtitle of ['', ' ', 'a\nb', 'x'.repeat(121), 7, ['a']])
      for (const path of ['posts', 'drafts'])
        expectProblem(await send(author, 'POST', path, { ...DRAFT, subtitle }), 400, 'invalid_input');

    const longest = await createPost({ subtitle: ` ${'😀'.repeat(120)} ` });
    const none = await createPost({ subtitle: null });

    expect([longest.subtitle, none.subtitle]).toEqual(['😀'.repeat(120), null]);
    expect(await app.db.collection('posts').findOne({ _id: new ObjectId(none.id) })).not.toHaveProperty('subtitle');
  });

  it('is in the post and in the cards of every list', async () => {
    const { id, slug } = await createPost({ subtitle: SUBTITLE });
    const collection = await world.collection({ by: author, posts: [id] });
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    await ok(reader, 'PUT', `posts/${id}/save`);
    const lists = ['feed?sort=latest', 'posts/mine', `posts?ids=${id}`, `users/${author.username}/posts`];
    const cards = [`collections/${collection.id}/posts`, 'users/me/saved', 'feed/following'];

    expect((await ok(null, 'GET', `posts/${slug}`)).subtitle).toBe(SUBTITLE);
    for (const path of [...lists, ...cards]) {
      const { data } = await ok(path === 'posts/mine' ? author : reader, 'GET', path);
      const card = data.map((row: any) => row.post ?? row).find((row: { id: string }) => row.id === id);
      expect([path, card?.subtitle]).toEqual([path, SUBTITLE]);
    }
  });

  it('marks the post as edited, and comes back with an earlier version', async () => {
    const { id } = await createPost({ subtitle: SUBTITLE });

    expect(await edit(id, { subtitle: 'Another' })).toMatchObject({ subtitle: 'Another', isEdited: true });
    expect(await edit(id, { subtitle: null })).toMatchObject({ subtitle: null });
    const { data } = await ok(author, 'GET', `posts/${id}/revisions`);
    expect(data.map((row: any) => row.subtitle)).toEqual(['Another', SUBTITLE]);
    expect(await ok(author, 'POST', `posts/${id}/revisions/1/revert`)).toMatchObject({ subtitle: SUBTITLE });
  });

  it('goes from a post to its draft, and back when the draft is published', async () => {
    const { id } = await createPost({ subtitle: SUBTITLE });
    const draft = await ok(author, 'POST', 'drafts', { postId: id });
    expect(draft.subtitle).toBe(SUBTITLE);

    const save = { subtitle: 'Saved' };
    const saved = await send(author, 'PATCH', `drafts/${draft.id}`, save, { 'if-match': '*' });
    const { path } = await ok(author, 'PUT', `drafts/${draft.id}/share`);
    const shared = await app.client.get(path);
    const versions = await ok(author, 'GET', `drafts/${draft.id}/versions`);
    const published = await ok(author, 'POST', `drafts/${draft.id}/publish`);

    expect([saved.body.subtitle, shared.body.subtitle, published.subtitle]).toEqual(['Saved', 'Saved', 'Saved']);
    expect([versions.data[0].subtitle, published.id]).toEqual([SUBTITLE, id]);
  });

  it('is restored with a deleted post', async () => {
    const { id } = await createPost({ subtitle: SUBTITLE });
    await send(author, 'DELETE', `posts/${id}`);
    const [trashed] = (await ok(author, 'GET', 'drafts?state=trashed&limit=1')).data;

    expect(await ok(author, 'POST', `drafts/${trashed.id}/restore`)).toMatchObject({ subtitle: SUBTITLE });
  });

  it('finds the post after a match in a title, and before one in a text', async () => {
    const content = await createPost({ content: 'Of arithmometers.' });
    const subtitle = await createPost({ subtitle: 'And arithmometers' });
    const title = await createPost({ title: 'Arithmometers' });
    const found = await until(async () => {
      const { data } = await ok(null, 'GET', 'search?kind=posts&q=arithmometers');
      return data.posts.length === 3 ? data.posts : null;
    });

    expect(found.map(({ id }: { id: string }) => id)).toEqual([title.id, subtitle.id, content.id]);
    expect(found[1].highlights).toEqual({ title: [], subtitle: [{ start: 4, end: 17 }], contentPreview: [] });

    await edit(subtitle.id, { subtitle: null });
    await until(async () => {
      const { data } = await ok(null, 'GET', 'search?kind=posts&q=arithmometers&limit=7');
      return data.posts.length === 2 || null;
    });
  });

  it('is the summary of the post on other sites and in feeds, and its page has both', async () => {
    const { id, slug } = await createPost({ subtitle: `${SUBTITLE} <b>`, tags: ['summaries'] });
    const meta = await ok(null, 'GET', `posts/${slug}/meta`);
    const page = await app.client.get(`/p/${slug}`);
    const feed = await app.client.get('/v1/tags/summaries/feed.json');

    expect([meta.description, meta.jsonLd.description]).toEqual([`${SUBTITLE} <b>`, `${SUBTITLE} <b>`]);
    expect(meta.openGraph).toContainEqual({ name: 'og:description', content: `${SUBTITLE} <b>` });
    expect(feed.body.items[0]).toMatchObject({
      summary: `${SUBTITLE} <b>`,
      content_html: '<p>It <em>weaves</em>.</p>',
    });
    const shown = [`<p class="subtitle" dir="auto">${SUBTITLE} &lt;b></p>`, '<p>It <em>weaves</em>.</p>'];
    for (const paragraph of shown) expect(page.body).toContain(paragraph);

    await edit(id, { subtitle: null });
    expect((await ok(null, 'GET', `posts/${slug}/meta`)).description).toBe('It weaves.');
  });

  it('is checked by the rules of the site and of new accounts, and by the filters of readers', async () => {
    const { id } = await createPost();
    const warned = await createPost({ subtitle: 'Of plumbago' });
    await world.rule({ value: 'gutta', action: 'reject' });
    await world.contentFilter({ by: reader, phrase: 'plumbago', action: 'warn' });
    const newcomer = await world.person();

    const rejected = await send(author, 'PATCH', `posts/${id}`, { subtitle: 'Of gutta' });
    const linked = await send(newcomer, 'POST', 'posts', {
      ...DRAFT,
      subtitle: 'https://a.example https://b.example https://c.example',
    });
    const { data } = await ok(reader, 'GET', `users/${author.username}/posts`);

    expectProblem(rejected, 422, 'content_rejected');
    expectProblem(linked, 422, 'newcomer_content');
    for (const { body } of [rejected, linked]) expect(body.errors[0].field).toBe('subtitle');
    expect(data.find((row: { id: string }) => row.id === warned.id).filtered).toMatchObject([{ phrase: 'plumbago' }]);
  });

  it('is shown to moderators with a report, and to no reader after the removal', async () => {
    const moderator = await world.person({ role: 'moderator' });
    const { id } = await createPost({ subtitle: SUBTITLE });
    const caseId = await world.report({ by: reader, on: id });
    const found = await ok(moderator, 'GET', `moderation/cases/${caseId}`);
    expect([found.reported.text, found.content.excerpt]).toEqual([
      `${SUBTITLE}\n\n${DRAFT.content}`,
      `${SUBTITLE}\nIt weaves.`,
    ]);

    await act(moderator, 'remove', 'post', id);

    expect((await send(reader, 'GET', `posts/${id}`)).status).toBe(404);
    expect((await ok(author, 'GET', `posts/${id}`)).subtitle).toBe(SUBTITLE);
  });
});
