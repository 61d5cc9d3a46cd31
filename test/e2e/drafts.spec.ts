import { jest } from '@jest/globals';
import { type Binary, ObjectId } from 'mongodb';
import { DRAFT_DUE } from '../../src/drafts/drafts.events.js';
import { DRAFT_REMOVED } from '../../src/drafts/drafts.events.js';
import { PostWritesService } from '../../src/posts/post-writes.service.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { ACCOUNT_ENDED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { runHandlers } from '../support/cleanup.js';
import { expectProblem } from '../support/problem.js';
import { scale } from '../support/scale.js';
import type { Person } from '../support/world.js';
import { runTasks } from '../support/tasks.js';

const TEXT = { title: 'Notes', content: 'It weaves *patterns*.', type: 'article', tags: ['looms'] };
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();

describe('drafts', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;
  let author: Person;
  let other: Person;

  const requestDraft = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    by = author,
  ) => app.patient.request(method, `/v1/drafts${path}`, { token: by.token, body, headers });
  const begin = async (fields: object = TEXT) => {
    const { status, body, headers } = await requestDraft('POST', '', fields);
    expect([status, body.version]).toEqual([201, 1]);
    expect(headers.get('location')).toBe(`/v1/drafts/${body.id}`);
    return { id: body.id as string, etag: headers.get('etag')! };
  };
  const save = (id: string, etag: string, fields: object) =>
    requestDraft('PATCH', `/${id}`, fields, { 'if-match': etag });
  const versionsOf = async (holder: string): Promise<number> => {
    const rows = await app.db.collection<{ _id: Binary }>('revisions').find().toArray();
    return rows.filter(({ _id }) => _id.toString('hex').startsWith(holder)).length;
  };
  const publishDue = () => runTasks(app, [DRAFT_DUE]);
  const makeDue = async (id: string) => {
    const [_id, at] = [new ObjectId(id), new Date(Date.now() - 1_000)];
    await app.db.collection('drafts').updateOne({ _id }, { $set: { publishAt: at } });
    await app.db.collection('tasks').updateMany({ topic: DRAFT_DUE.name, payload: _id }, { $set: { runAt: at } });
  };

  beforeAll(async () => {
    [author, other] = await world.people(2);
  });

  it('may be empty, and are visible to their author only', async () => {
    const { id } = await begin({});
    const { body } = await requestDraft('GET', `/${id}`);
    expect(body).toMatchObject({ title: '', content: '', type: null, tags: [], state: 'open', postId: null });
    for (const [method, path, sent] of [
      ['GET', `/${id}`, undefined],
      ['GET', `/${id}/preview`, undefined],
      ['PATCH', `/${id}`, { title: 'Mine now' }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/publish`, undefined],
      ['PUT', `/${id}/schedule`, { publishAt: IN_AN_HOUR }],
      ['PUT', `/${id}/share`, undefined],
      ['GET', `/${id}/versions`, undefined],
    ] as const)
      expect((await requestDraft(method, path, sent, { 'if-match': '*' }, other)).body.code).toBe('draft_not_found');
  });

  it('are saved only with the ETag of the last save, and keep every replaced text', async () => {
    const { id, etag } = await begin();
    expect((await requestDraft('PATCH', `/${id}`, { title: 'Anyhow' })).status).toBe(428);
    const first = await save(id, etag, { content: 'One.' });
    expect([first.status, first.body.version, 'content' in first.body]).toEqual([200, 2, false]);
    const late = await save(id, etag, { content: 'Two.' });
    expectProblem(late, 412, 'precondition_failed');
    expect(late.body.detail).toContain('version 2');
    const same = await save(id, first.headers.get('etag')!, { content: 'One.' });
    expect([same.status, same.body.version]).toEqual([200, 2]);
    const second = await save(id, first.headers.get('etag')!, { title: 'Renamed', content: 'Two.' });
    expect((await requestDraft('GET', `/${id}`)).body).toMatchObject({ version: 3, title: 'Renamed', content: 'Two.' });
    expect((await requestDraft('GET', `/${id}`)).headers.get('etag')).toBe(second.headers.get('etag'));
    const versions = (await requestDraft('GET', `/${id}/versions?limit=1`)).body;
    expect(versions.data).toMatchObject([{ version: 2, title: 'Notes' }]);
    const rest = (await requestDraft('GET', `/${id}/versions?limit=1&cursor=${versions.page.nextCursor}`)).body;
    expect([rest.data[0].version, rest.page.nextCursor]).toEqual([1, null]);
    expect((await requestDraft('GET', `/${id}/versions/1`)).body).toMatchObject({ content: TEXT.content });
    expect((await requestDraft('GET', `/${id}/versions/2`)).body.content).toBe('One.');
    expect((await requestDraft('GET', `/${id}/versions/3`)).body.code).toBe('revision_not_found');
  });

  it('are published with the visibility that they name, an edit without one keeps that of its post', async () => {
    const { id, etag } = await begin({ ...TEXT, visibility: 'private' });
    const saved = await save(id, etag, { visibility: 'unlisted' });
    expect([saved.status, saved.body.version, saved.body.visibility]).toEqual([200, 2, 'unlisted']);
    const { body: post } = await requestDraft('POST', `/${id}/publish`);
    expect(post.visibility).toBe('unlisted');

    const edit = await begin({ postId: post.id });
    expect((await requestDraft('GET', `/${edit.id}`)).body.visibility).toBeNull();
    expect((await requestDraft('POST', `/${edit.id}/publish`)).body.visibility).toBe('unlisted');
    const opened = await begin({ postId: post.id, visibility: 'public' });
    expect((await requestDraft('POST', `/${opened.id}/publish`)).body.visibility).toBe('public');
  });

  it('lose no acknowledged text to concurrent saves, nor to a concurrent deletion', async () => {
    const tabs = ['left', 'right', 'third'];
    const race = async (): Promise<void> => {
      const { id } = await begin();
      const acknowledged: string[] = [];
      let last = TEXT.content;
      const saveAs = async (content: string, etag: string): Promise<string | null> => {
        const answer = await save(id, etag, { content });
        if (answer.status === 200) acknowledged.push((last = content));
        else expect([404, 412]).toContain(answer.status);
        return answer.headers.get('etag');
      };
      const etagNow = async (): Promise<string> => (await requestDraft('GET', `/${id}`)).headers.get('etag')!;
      await Promise.all(
        tabs.map(async (tab) => {
          let etag = await etagNow();
          for (let at = 0; at < 12; at++) etag = (await saveAs(`${tab} ${at}`, etag)) ?? (await etagNow());
        }),
      );
      expect(acknowledged.length).toBeGreaterThan(11);
      const { version, content } = (await requestDraft('GET', `/${id}`)).body;
      const kept = [content];
      for (let at = 1; at < version; at++) kept.push((await requestDraft('GET', `/${id}/versions/${at}`)).body.content);
      expect([...acknowledged, TEXT.content].sort()).toEqual(kept.sort());
      const etag = await etagNow();
      const [published] = await Promise.all([
        requestDraft('POST', `/${id}/publish`),
        ...tabs.map((tab) => saveAs(`${tab} at the end`, etag)),
      ]);
      if (published.status === 201) expect(published.body.content).toBe(last);
      else expect([published.status, (await requestDraft('GET', `/${id}`)).body.content]).toEqual([412, last]);
    };
    await Promise.all(Array.from({ length: scale('draftRaces') }, race));
  });

  it('are listed by their last save, in full pages', async () => {
    const writer = await world.person();
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.push((await requestDraft('POST', '', { title: `D${at}` }, {}, writer)).body.id);
    await requestDraft('PATCH', `/${ids[1]}`, { title: 'Again' }, { 'if-match': '*' }, writer);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await requestDraft('GET', `?limit=2${cursor}`, undefined, {}, writer);
      seen.push(...body.data.map((draft: { id: string }) => draft.id));
      if (body.page.nextCursor === null) break;
      expect(body.data).toHaveLength(2);
      cursor = `&cursor=${body.page.nextCursor}`;
    }
    expect(seen).toEqual([ids[1], ids[4], ids[3], ids[2], ids[0]]);
  });

  it('become a post with the current time, once, and name missing fields', async () => {
    const canonicalUrl = 'https://blog.example/bare';
    const { id } = await begin({ title: 'Bare', canonicalUrl });
    const lacking = await requestDraft('POST', `/${id}/publish`);
    expect(lacking.body.errors.map(({ field }: { field: string }) => field)).toEqual(['type', 'content']);
    await requestDraft('PATCH', `/${id}`, { type: 'poem', content: 'Rose.' }, { 'if-match': '*' });
    const key = { 'idempotency-key': `publish-${id}` };
    const published = await requestDraft('POST', `/${id}/publish`, undefined, key);
    expect([published.status, published.body.isPublic]).toEqual([201, true]);
    expect(published.body).toMatchObject({ title: 'Bare', canonicalUrl });
    const again = await requestDraft('POST', `/${id}/publish`, undefined, key);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, published.body, 'true']);
    expect((await requestDraft('POST', `/${id}/publish`)).status).toBe(404);
    expect((await app.client.get('/v1/feed?sort=latest')).body.data[0].id).toBe(published.body.id);
    await runHandlers(app, DRAFT_REMOVED, new ObjectId(id));
    expect(await app.db.collection('revisions').countDocuments({ title: 'Bare', type: null })).toBe(0);
    expect(await differences(app.db)).toEqual([]);
  });

  it('are published once by concurrent requests', async () => {
    const { id } = await begin();
    const answers = await Promise.all(Array.from({ length: 5 }, () => requestDraft('POST', `/${id}/publish`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => ![201, 404, 412].includes(status))).toEqual([]);
  });

  it('edit their post, which keeps its earlier text', async () => {
    const post = (await app.client.post('/v1/posts', { token: author.token, body: TEXT })).body;
    expect((await requestDraft('POST', '', { postId: post.id }, {}, other)).body.code).toBe('forbidden');
    const { id } = await begin({ postId: post.id });
    expect((await requestDraft('GET', `/${id}`)).body).toMatchObject({ ...TEXT, postId: post.id });
    expect((await requestDraft('POST', '', { postId: post.id })).body.code).toBe('draft_exists');
    await requestDraft('PATCH', `/${id}`, { content: 'It weaves.' }, { 'if-match': '*' });
    expect((await app.client.get(`/v1/posts/${post.id}`)).body.content).toBe(TEXT.content);
    const { status, body } = await requestDraft('POST', `/${id}/publish`);
    expect([status, body.id, body.content]).toEqual([200, post.id, 'It weaves.']);
    const versions = await app.client.get(`/v1/posts/${post.id}/revisions`, { token: author.token });
    expect(versions.body.data).toMatchObject([{ version: 1, title: 'Notes' }]);
  });

  it('are published at their time, once, or store the reason of a failure', async () => {
    const { id } = await begin({ ...TEXT, title: 'At nine' });
    for (const publishAt of ['soon', new Date().toISOString(), '2999-01-01T00:00:00Z', '2026-99-01T00:00:00Z'])
      expect((await requestDraft('PUT', `/${id}/schedule`, { publishAt })).status).toBe(400);
    const { body } = await requestDraft('PUT', `/${id}/schedule`, { publishAt: IN_AN_HOUR });
    expect(body).toMatchObject({ state: 'scheduled', publishAt: IN_AN_HOUR });
    await publishDue();
    expect((await requestDraft('GET', `/${id}`)).status).toBe(200);
    expect((await requestDraft('DELETE', `/${id}/schedule`)).body).toMatchObject({ state: 'open', publishAt: null });
    await requestDraft('PUT', `/${id}/schedule`, { publishAt: IN_AN_HOUR });
    await makeDue(id);
    await Promise.all([publishDue(), publishDue()]);
    expect((await requestDraft('GET', `/${id}`)).status).toBe(404);
    expect(await app.db.collection('posts').countDocuments({ title: 'At nine' })).toBe(1);

    const post = (await app.client.post('/v1/posts', { token: author.token, body: TEXT })).body;
    const edit = await begin({ postId: post.id });
    await requestDraft('PUT', `/${edit.id}/schedule`, { publishAt: IN_AN_HOUR });
    await app.client.delete(`/v1/posts/${post.id}`, { token: author.token });
    await makeDue(edit.id);
    await publishDue();
    expect((await requestDraft('GET', `/${edit.id}`)).body).toMatchObject({
      state: 'failed',
      failure: 'post_not_found',
    });
  });

  it.each([
    ['DELETE', undefined, { state: 'open', publishAt: null }],
    ['PUT', { publishAt: IN_AN_HOUR }, { state: 'scheduled', publishAt: IN_AN_HOUR }],
  ])('are not published at a time that was changed by %s while that began', async (method, change, expected) => {
    const { id } = await begin({ ...TEXT, title: `Not yet: ${method}` });
    await requestDraft('PUT', `/${id}/schedule`, { publishAt: IN_AN_HOUR });
    await makeDue(id);
    const posts = app.app.get(PostWritesService);
    const create = posts.create.bind(posts);
    const publishing = jest.spyOn(posts, 'create').mockImplementationOnce(async (...given) => {
      expect((await requestDraft(method, `/${id}/schedule`, change)).body).toMatchObject(expected);
      return create(...given);
    });
    await publishDue();
    expect(publishing).toHaveBeenCalledTimes(1);
    publishing.mockRestore();
    expect((await requestDraft('GET', `/${id}`)).body).toMatchObject(expected);
    expect(await app.db.collection('posts').countDocuments({ title: `Not yet: ${method}` })).toBe(0);
  });

  it('are shown as the HTML that a post of them would have', async () => {
    const { id } = await begin();
    const { status, body } = await requestDraft('GET', `/${id}/preview`);
    expect([status, body.html]).toEqual([200, expect.stringContaining('<em>patterns</em>')]);
  });

  it('are readable by anyone with the link, until it is revoked', async () => {
    const { id } = await begin();
    const first = (await requestDraft('PUT', `/${id}/share`)).body.path as string;
    const { path } = (await requestDraft('PUT', `/${id}/share`)).body;
    expect((await app.client.get(first)).status).toBe(404);
    const shared = await app.client.get(path);
    expect(shared.body).toMatchObject({ ...TEXT, author: { username: author.username } });
    expect([shared.body.id, shared.headers.get('cache-control')]).toEqual([undefined, 'private, no-store']);
    await app.db
      .collection('drafts')
      .updateOne({ _id: new ObjectId(id) }, { $set: { 'share.expiresAt': new Date(Date.now() - 1) } });
    expect((await app.client.get(path)).status).toBe(404);
    const next = (await requestDraft('PUT', `/${id}/share`)).body.path;
    expect((await requestDraft('DELETE', `/${id}/share`)).status).toBe(204);
    expect((await app.client.get(next)).body.code).toBe('draft_not_found');
  });

  it('of a post are read by no link once a moderator removed the post', async () => {
    const post = (await app.client.post('/v1/posts', { token: author.token, body: TEXT })).body;
    const { id } = await begin({ postId: post.id });
    const { path } = (await requestDraft('PUT', `/${id}/share`)).body;
    expect((await app.client.get(path)).status).toBe(200);

    await world.moderate({ kind: 'remove', targetKind: 'post', targetId: post.id });

    expect((await app.client.get(path)).body.code).toBe('draft_not_found');
    await world.deletePost(post.id, { by: author });
    await runHandlers(app, POST_DELETED, new ObjectId(post.id));
    expect((await app.client.get(path)).body.code).toBe('draft_not_found');
    expect((await requestDraft('GET', `/${id}`)).body).toMatchObject({ postId: null, sharedUntil: null });
  });

  it('keep their saved text when their post is deleted, and are published as a new post', async () => {
    const post = (await app.client.post('/v1/posts', { token: author.token, body: TEXT })).body;
    const { id, etag } = await begin({ postId: post.id });
    const { headers } = await save(id, etag, { content: 'Saved.' });
    await app.client.delete(`/v1/posts/${post.id}`, { token: author.token });
    await runHandlers(app, POST_DELETED, new ObjectId(post.id));
    const saved = headers.get('etag')!;
    const { status, body } = await requestDraft('GET', `/${id}`, undefined, { 'if-none-match': saved });
    expect([status, body]).toMatchObject([200, { postId: null, state: 'open', failure: null, content: 'Saved.' }]);
    // A tab that has not reloaded the draft can continue.
    expect((await save(id, saved, { content: 'Saved again.' })).body).toMatchObject({ postId: null, version: 3 });
    expect((await requestDraft('GET', `/${id}/versions/1`)).body.content).toBe(TEXT.content);
    const published = await requestDraft('POST', `/${id}/publish`);
    expect([published.status, published.body.content]).toEqual([201, 'Saved again.']);
    expect(published.body.id).not.toBe(post.id);
    expect(await differences(app.db)).toEqual([]);
  });

  it('are not published as a new post at the time that was set for an edit of one that is deleted', async () => {
    const post = (await app.client.post('/v1/posts', { token: author.token, body: TEXT })).body;
    const { id } = await begin({ postId: post.id, title: 'Never new' });
    await requestDraft('PUT', `/${id}/schedule`, { publishAt: IN_AN_HOUR });
    await app.client.delete(`/v1/posts/${post.id}`, { token: author.token });
    await runHandlers(app, POST_DELETED, new ObjectId(post.id));
    const failed = { postId: null, state: 'failed', failure: 'post_not_found', publishAt: null };
    expect((await requestDraft('GET', `/${id}`)).body).toMatchObject(failed);
    await publishDue();
    expect(await app.db.collection('posts').countDocuments({ title: 'Never new' })).toBe(0);
    const publishAt = IN_AN_HOUR;
    const again = (await requestDraft('PUT', `/${id}/schedule`, { publishAt })).body;
    expect(again).toMatchObject({ state: 'scheduled', failure: null, publishAt });
  });

  it('are deleted with their account, with the drafts of its posts', async () => {
    const writer = await world.person();
    const { body } = await requestDraft('POST', '', TEXT, {}, writer);
    await requestDraft('PATCH', `/${body.id}`, { content: 'Later.' }, { 'if-match': '*' }, writer);
    const post = (await app.client.post('/v1/posts', { token: writer.token, body: TEXT })).body;
    await requestDraft('POST', '', { postId: post.id }, {}, writer);
    const { path } = (await requestDraft('PUT', `/${body.id}/share`, undefined, {}, writer)).body;
    expect((await app.client.get(path)).status).toBe(200);
    await app.db.collection('users').updateOne({ _id: writer._id }, { $set: { deletedAt: new Date() } });
    expect((await app.client.get(path)).body.code).toBe('draft_not_found');
    await runHandlers(app, ACCOUNT_ENDED, writer._id);
    await runHandlers(app, POST_DELETED, new ObjectId(post.id));
    expect(await app.db.collection('drafts').countDocuments({ authorId: writer._id })).toBe(0);
    expect(await versionsOf(body.id)).toBe(1);
    await runHandlers(app, DRAFT_REMOVED, new ObjectId(body.id));
    expect(await versionsOf(body.id)).toBe(0);
  });
});
