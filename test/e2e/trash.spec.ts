import { ObjectId } from 'mongodb';
import { DRAFT_EXPIRED } from '../../src/drafts/drafts.events.js';
import { MAX_DRAFTS } from '../../src/drafts/drafts.service.js';
import { POST_HIDDEN } from '../../src/posts/posts.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import { runHandlers } from '../support/cleanup.js';
import { runTasks } from '../support/tasks.js';
import { drainTasks } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const TEXT = { title: 'Notes', content: 'It weaves *patterns*.', type: 'poem', tags: ['looms'] };

describe('the trash of an author', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;
  let author: Person;

  const send = (method: string, path: string, body?: object, by: Person = author) =>
    app.client.request(method, path, { token: by.token, body });
  const trash = async (by: Person = author) => (await send('GET', '/v1/drafts?state=trashed', undefined, by)).body.data;
  const deleted = async (fields: object = {}): Promise<{ id: string; postId: string }> => {
    const { status, body } = await send('POST', '/v1/posts', { ...TEXT, ...fields });
    expect(status).toBe(201);
    expect((await send('DELETE', `/v1/posts/${body.id}`)).status).toBe(204);
    return { id: (await trash())[0].id, postId: body.id };
  };

  /** Returns the collections that have rows of the post. */
  const rowsOf = async (id: string): Promise<string[]> => {
    const _id = new ObjectId(id);
    const counted = Object.entries({ posts: '_id', post_bodies: '_id', post_html: '_id', comments: 'postId' });
    const found = counted.map(async ([name, field]) =>
      (await app.db.collection(name).countDocuments({ [field]: _id })) > 0 ? [name] : [],
    );
    return (await Promise.all(found)).flat();
  };

  beforeEach(async () => {
    author = await world.person();
  });

  it('has the text of a deleted post, which no list of drafts has', async () => {
    const { id } = await deleted();
    const [card, ...others] = await trash();
    expect(others).toEqual([]);
    expect(card).toMatchObject({ id, state: 'trashed', title: 'Notes', type: 'poem', tags: ['looms'], postId: null });
    expect((await send('GET', `/v1/drafts/${id}`)).body.content).toBe(TEXT.content);
    expect((await send('GET', '/v1/drafts')).body.data).toEqual([]);
  });

  it('lists deleted posts, the last deleted first, in full pages', async () => {
    for (const title of ['First', 'Second', 'Third']) await deleted({ title });
    const { body: page } = await send('GET', '/v1/drafts?state=trashed&limit=2');
    const cursor = encodeURIComponent(page.page.nextCursor);
    const { body: rest } = await send('GET', `/v1/drafts?state=trashed&limit=2&cursor=${cursor}`);
    const titles = [...page.data, ...rest.data].map(({ title }: { title: string }) => title);
    expect(titles).toEqual(['Third', 'Second', 'First']);
    expectProblem(await send('GET', `/v1/drafts?cursor=${cursor}`), 400, 'invalid_cursor');
    expectProblem(await send('GET', '/v1/drafts?state=open'), 400, 'invalid_input');
  });

  it.each(['public', 'unlisted', 'private'])('restores a %s post with its id and visibility', async (visibility) => {
    const { id, postId } = await deleted({ visibility });
    expect(id).toBe(postId);
    expectProblem(await send('GET', `/v1/posts/${postId}`), 404, 'post_not_found');
    const { status, body, headers } = await send('POST', `/v1/drafts/${id}/restore`);
    expect([status, body.id, body.visibility, body.content]).toEqual([201, postId, visibility, TEXT.content]);
    expect(headers.get('location')).toBe(`/v1/posts/${body.slug}`);
    expect(await trash()).toEqual([]);
    expectProblem(await send('POST', `/v1/drafts/${id}/restore`), 404, 'draft_not_found');
    expect((await send('GET', `/v1/posts/${body.slug}`)).body.content).toBe(TEXT.content);
    expect((await send('GET', `/v1/posts/${body.slug}/html`)).body.html).toContain('<em>patterns</em>');
    expect((await send('GET', `/v1/users/${author.username}`)).body.stats.postsCount).toBe(
      visibility === 'public' ? 1 : 0,
    );
    expect(await differences(app.db)).toEqual([]);
  });

  it('restores votes, comments, collections, versions and the draft of an edit, without those that were deleted', async () => {
    const [reader, leaver] = [await world.person(), await world.person({ overHttp: true })];
    const { id, slug } = (await send('POST', '/v1/posts', TEXT)).body;
    await send('PATCH', `/v1/posts/${id}`, { content: 'It weaves flowers.' });
    const edit = (await send('POST', '/v1/drafts', { postId: id })).body;
    const comments: string[] = [];
    for (const by of [reader, leaver, author]) {
      await send('PUT', `/v1/posts/${id}/vote`, { value: 'like' }, by);
      comments.push((await world.comment({ by, on: id })).id);
    }
    await send('PUT', `/v1/posts/${id}/save`, undefined, reader);
    const list = await world.collection({ by: reader, posts: [id] });
    await world.trashPost(id, { by: author });
    await runTasks(app, [POST_HIDDEN]);
    expect((await send('GET', `/v1/collections/${list.id}`)).body.stats.postsCount).toBe(0);
    expect(await differences(app.db)).toEqual([]);
    // Readers can delete their own comments.
    expect((await send('DELETE', `/v1/comments/${comments[0]}`, undefined, reader)).status).toBe(204);
    expect((await send('DELETE', '/v1/users/me', { password: leaver.password }, leaver)).status).toBe(204);
    await drainTasks(app);

    const { body } = await send('POST', `/v1/drafts/${id}/restore`);
    await drainTasks(app);

    expect([body.id, body.slug, body.stats]).toMatchObject([id, slug, { likesCount: 2, commentsCount: 1 }]);
    const shown = (await send('GET', `/v1/posts/${id}/comments`, undefined, reader)).body.data;
    expect(shown.map((comment: { id: string }) => comment.id)).toEqual([comments[2]]);
    expect((await send('GET', '/v1/users/me/saved', undefined, reader)).body.data).toMatchObject([{ id }]);
    expect((await send('GET', `/v1/collections/${list.id}`)).body.stats.postsCount).toBe(1);
    expect((await send('GET', `/v1/posts/${id}/revisions`)).body.data).toHaveLength(1);
    expect((await send('GET', `/v1/drafts/${edit.id}`)).body.postId).toBe(id);
    expect((await send('GET', `/v1/feed?sort=latest&author=${author.username}`)).body.data).toMatchObject([{ id }]);
    expect(await differences(app.db)).toEqual([]);
  });

  it('shows a trashed post to no account, not even a moderator', async () => {
    const [reader, moderator] = [await world.person(), await world.person({ role: 'moderator' })];
    const { id } = await world.post({ by: author, title: 'Heliotropes' });
    const comment = await world.comment({ by: reader, on: id });
    await send('PUT', `/v1/posts/${id}/save`, undefined, reader);
    const list = await world.collection({ by: reader, posts: [id] });
    await world.trashPost(id, { by: author });
    for (const by of [author, reader, moderator]) {
      for (const path of ['', '/html', '/comments', '/revisions', '/series'])
        expect([path, (await send('GET', `/v1/posts/${id}${path}`, undefined, by)).status]).toEqual([path, 404]);
      expect((await send('GET', `/v1/comments/${comment.id}`, undefined, by)).status).toBe(404);
      expect((await send('PUT', `/v1/posts/${id}/vote`, { value: 'like' }, by)).status).toBe(404);
    }
    const lists = [
      '/v1/users/me/saved',
      '/v1/users/me/comments',
      `/v1/collections/${list.id}/posts`,
      '/v1/feed?sort=latest',
    ];
    lists.push('/v1/comments/latest', `/v1/users/${reader.username}/comments`, `/v1/users/${author.username}/posts`);
    for (const path of lists) {
      const { status, body } = await send('GET', path, undefined, reader);
      expect([path, status, JSON.stringify(body).includes('Heliotropes')]).toEqual([path, 200, false]);
    }
  });

  it('restores no post whose text a rule rejects by now', async () => {
    const { id } = await deleted({ content: 'Buy zanzibarite.' });
    await world.rule({ value: 'zanzibarite', action: 'reject' });
    expectProblem(await send('POST', `/v1/drafts/${id}/restore`), 422, 'content_rejected');
    expect(await trash()).toHaveLength(1);
  });

  it('restores a post that an earlier version deleted as a new post', async () => {
    const { id } = await deleted();
    await app.db.collection('drafts').updateOne({ _id: new ObjectId(id) }, { $unset: { hasPost: 1 } });
    const { status, body } = await send('POST', `/v1/drafts/${id}/restore`);
    expect([status, body.content]).toEqual([201, TEXT.content]);
    expect(body.id).not.toBe(id);
  });

  it('ends with its account', async () => {
    const leaver = await world.person({ overHttp: true });
    const { id } = await world.post({ by: leaver });
    await world.trashPost(id, { by: leaver });
    expect((await send('DELETE', '/v1/users/me', { password: leaver.password }, leaver)).status).toBe(204);
    await drainTasks(app);
    expect(await rowsOf(id)).toEqual([]);
  });

  it('restores a post once for concurrent requests', async () => {
    const { id } = await deleted();
    const answers = await Promise.all([1, 2, 3].map(() => send('POST', `/v1/drafts/${id}/restore`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await send('GET', '/v1/posts/mine')).body.data).toHaveLength(1);
  });

  it('cannot be saved, published, scheduled or shared', async () => {
    const { id } = await deleted();
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    const saved = await app.client.patch(`/v1/drafts/${id}`, {
      token: author.token,
      body: { title: 'Other' },
      headers: { 'if-match': '*' },
    });
    const answers = [
      saved,
      await send('POST', `/v1/drafts/${id}/publish`),
      await send('PUT', `/v1/drafts/${id}/schedule`, { publishAt }),
      await send('DELETE', `/v1/drafts/${id}/schedule`),
      await send('PUT', `/v1/drafts/${id}/share`),
      await send('DELETE', `/v1/drafts/${id}/share`),
      await send('GET', `/v1/drafts/${id}/versions`),
    ];
    for (const answer of answers) expectProblem(answer, 404, 'draft_not_found');
  });

  it('restores no draft that was not deleted', async () => {
    const { id } = (await send('POST', '/v1/drafts', TEXT)).body;
    expectProblem(await send('POST', `/v1/drafts/${id}/restore`), 404, 'draft_not_found');
  });

  it('loses a post that is deleted from it, with its comments', async () => {
    const { id } = await world.post({ by: author });
    await world.comment({ by: author, on: id });
    await world.trashPost(id, { by: author });
    expect((await send('DELETE', `/v1/drafts/${id}`)).status).toBe(204);
    expect(await trash()).toEqual([]);
    await drainTasks(app);
    expect(await rowsOf(id)).toEqual([]);
    expect(await differences(app.db)).toEqual([]);
  });

  it('loses a post after 30 days, with its references to images', async () => {
    const picture = await world.picture(author);
    const { id } = await deleted({ content: `![A loom](/v1/media/files/${picture.mediaKey})` });
    const _id = new ObjectId(id);
    const held = () => app.db.collection('media_refs').countDocuments({ holderId: _id });
    expect(await held()).toBe(1);
    const task = await app.db.collection('tasks').findOne({ topic: DRAFT_EXPIRED.name, payload: _id });
    const days = (task!['runAt'].getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    await runHandlers(app, DRAFT_EXPIRED, _id);
    expect(await trash()).toHaveLength(1);
    await app.db
      .collection('drafts')
      .updateOne({ _id }, { $set: { updatedAt: new Date(Date.now() - 31 * 86_400_000) } });
    await runHandlers(app, DRAFT_EXPIRED, _id);
    expect(await trash()).toEqual([]);
    await drainTasks(app);
    expect([await held(), await rowsOf(id)]).toEqual([0, []]);
  });

  it('has no post that a moderator removed', async () => {
    const { body } = await send('POST', '/v1/posts', TEXT);
    await world.moderate({ kind: 'remove', targetKind: 'post', targetId: body.id });
    expect((await send('DELETE', `/v1/posts/${body.id}`)).status).toBe(204);
    expect(await trash()).toEqual([]);
  });

  it('is bounded: the post that was deleted first makes room, and drafts are counted apart', async () => {
    const first = await deleted({ title: 'First' });
    const row = await app.db.collection('drafts').findOne({ _id: new ObjectId(first.id) });
    const later = (at: number) => new Date(row!['updatedAt'].getTime() + at);
    const rows = Array.from({ length: MAX_DRAFTS - 1 }, (_, at) => ({
      ...row,
      _id: new ObjectId(),
      updatedAt: later(at + 1),
    }));
    await app.db.collection('drafts').insertMany(rows);
    await deleted({ title: 'Last' });
    const own = { authorId: author._id, state: 'trashed' };
    expect(await app.db.collection('drafts').countDocuments(own)).toBe(MAX_DRAFTS);
    expectProblem(await send('GET', `/v1/drafts/${first.id}`), 404, 'draft_not_found');
    expect((await send('POST', '/v1/drafts', TEXT)).status).toBe(201);
  });
});
