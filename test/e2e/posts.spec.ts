import { decompress } from '@cloudpss/zstd';
import { jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Role } from '../../src/platform/access/viewer.js';
import { ReceivedLikesService } from '../../src/users/received-likes.service.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { idsOf, verbsOf } from '../support/verbs.js';

const DRAFT = { title: 'Notes on Engines', content: '# Notes\n\nEngines *weave* patterns.', type: 'article' };

describe('posts over HTTP', () => {
  const app = useApp();
  const { world } = app;
  const join = async (role?: Role): Promise<Person> => (await world.people(1, { role }))[0];
  let ada: Person;
  let bob: Person;
  let moderator: Person;

  beforeAll(async () => {
    [ada, bob, moderator] = await Promise.all([join(), join(), join('moderator')]);
  });

  const createPost = async (fields: object = {}, by: Person = ada) => {
    const answer = await app.patient.post('/v1/posts', { token: by.token, body: { ...DRAFT, ...fields } });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const statsOf = async (member: Person) => {
    await app.app.get(ReceivedLikesService).fold(AbortSignal.timeout(60_000));
    return (await app.db.collection('users').findOne({ _id: new ObjectId(member.id) }))!.stats;
  };
  const postRow = (id: string) => app.db.collection('posts').findOne({ _id: new ObjectId(id) });

  describe('creating', () => {
    it('returns the post as readers see it, with its Location', async () => {
      const answer = await app.client.post('/v1/posts', {
        token: ada.token,
        body: {
          ...DRAFT,
          tags: ['Math', 'math', 'Ελλάδα', 'कविता', 'a\u{fe0f}b'],
          thumbnailUrl: 'https://images.example.org/a.png',
        },
      });
      expect(answer.status).toBe(201);
      const { id, createdAt, updatedAt, ...rest } = answer.body;
      expect(rest).toEqual({
        slug: `notes-on-engines-${id}`,
        title: 'Notes on Engines',
        subtitle: null,
        type: 'article',
        tags: ['math', 'ελλάδα', 'कविता', 'ab'],
        content: DRAFT.content,
        contentPreview: 'Notes Engines weave patterns.',
        readTime: 1,
        thumbnailUrl: 'https://images.example.org/a.png',
        thumbnail: null,
        isPublic: true,
        visibility: 'public',
        isEdited: false,
        canonicalUrl: null,
        isLocked: false,
        isHistoryPublic: false,
        author: {
          id: ada.id,
          username: ada.username,
          fullName: expect.stringMatching(/^Person /),
          profilePicture: null,
        },
        stats: { viewsCount: 0, readsCount: 0, likesCount: 0, dislikesCount: 0, sharesCount: 0, commentsCount: 0 },
      });
      expect(createdAt).toBe(updatedAt);
      expect(answer.headers.get('location')).toBe(`/v1/posts/notes-on-engines-${id}`);
      const current = await app.client.get(answer.headers.get('location')!);
      expect(current.body).toEqual(answer.body);
      expect(current.headers.get('etag')).toBe(answer.headers.get('etag'));
      const row = await postRow(id);
      expect(row!.rank.hotA).toBe(row!.rank.hotB);
      expect(row!.rank.hotA).toBeGreaterThan(0);
      expect(Math.floor(row!.createdAt.getTime() / 1_000) * 1_000).toBe(row!._id.getTimestamp().getTime());
    });

    it.each([
      ['authorId', { authorId: '64b000000000000000000001' }],
      ['_id', { _id: '64b000000000000000000001' }],
      ['id', { id: '64b000000000000000000001' }],
      ['stats', { stats: { likesCount: 1000 } }],
      ['rank', { rank: { hotA: 1e9 } }],
      ['isListed', { isListed: true }],
      ['version', { version: 7 }],
      ['slug', { slug: 'mine' }],
      ['title', { title: '   ' }],
      ['title', { title: 'x'.repeat(201) }],
      ['title', { title: '😀'.repeat(201) }],
      ['title', { title: 'half \ud83d of a pair' }],
      ['title', { title: 'two\nlines' }],
      ['title', { title: { $gt: '' } }],
      ['title', { title: null }],
      ['content', { content: '' }],
      ['content', { content: ' \n\t' }],
      ['content', { content: 'x'.repeat(200_001) }],
      ['content', { content: ['a'] }],
      ['type', { type: 'tweet' }],
      ['type', { type: undefined }],
      ['tags', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }],
      ['tags', { tags: ['no spaces'] }],
      ['tags', { tags: ['x'.repeat(33)] }],
      ['tags', { tags: [''] }],
      ['tags', { tags: [{ $ne: 1 }] }],
      ['tags', { tags: 'math' }],
      ['tags', { tags: null }],
      ['thumbnailUrl', { thumbnailUrl: 'http://images.example.org/a.png' }],
      ['thumbnailUrl', { thumbnailUrl: 'javascript:alert(1)' }],
      ['thumbnailUrl', { thumbnailUrl: 'https://user:secret@example.org/' }],
      ['thumbnailUrl', { thumbnailUrl: ' \thttps://a.example/' }],
      ['thumbnailUrl', { thumbnailUrl: 'https://a.exa\nmple/x' }],
      ['thumbnailUrl', { thumbnailUrl: '\u0001https://a.example/' }],
      ['thumbnailUrl', { thumbnailUrl: 'https://a.example/\u202egpj.exe' }],
      ['canonicalUrl', { canonicalUrl: 'ftp://blog.example/a' }],
      ['canonicalUrl', { canonicalUrl: 'javascript:alert(1)' }],
      ['canonicalUrl', { canonicalUrl: 'http://user:secret@blog.example/' }],
      ['canonicalUrl', { canonicalUrl: '/posts/a' }],
      ['canonicalUrl', { canonicalUrl: `https://blog.example/${'a'.repeat(2_028)}` }],
      ['content', { content: `a${'\u0301'.repeat(31)}` }],
      ['isPublic', { isPublic: 'true' }],
      ['isPublic', { isPublic: null }],
      ['isPremium', { isPremium: true }],
    ])('refuses a wrong or foreign %s, names it and writes nothing', async (field, fields) => {
      const before = await app.db.collection('posts').countDocuments();
      const answer = await app.client.post('/v1/posts', { token: ada.token, body: { ...DRAFT, ...fields } });
      expectProblem(answer, 400, 'invalid_input');
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
      expect(await app.db.collection('posts').countDocuments()).toBe(before);
    });

    it.each([
      [
        'https://a.example/"><img src=x onerror=alert(1)>',
        'https://a.example/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E',
      ],
      ['https:a.example', 'https://a.example/'],
      ['HTTPS://A.Example/ü?q="', 'https://a.example/%C3%BC?q=%22'],
    ])('stores the address %j as a browser writes it', async (thumbnailUrl, stored) => {
      const post = await createPost({ thumbnailUrl });
      expect(post.thumbnailUrl).toBe(stored);
      const edited = await app.client.patch(`/v1/posts/${post.id}`, { token: ada.token, body: { thumbnailUrl } });
      expect(edited.body.thumbnailUrl).toBe(stored);
    });

    it('has the canonical URL of an earlier publication, and keeps the one that an edit replaces', async () => {
      const canonicalUrl = 'http://blog.example/engines?page=2';
      const post = await createPost({ canonicalUrl });
      expect(post.canonicalUrl).toBe(canonicalUrl);
      const edit = async (value: string | null) =>
        (await app.client.patch(`/v1/posts/${post.id}`, { token: ada.token, body: { canonicalUrl: value } })).body;
      expect(await edit(null)).toMatchObject({ canonicalUrl: null, isEdited: false });
      const revision = await app.client.get(`/v1/posts/${post.id}/revisions/1`, { token: ada.token });
      expect(revision.body.canonicalUrl).toBe(canonicalUrl);
      const other = await createPost();
      expect(await postRow(other.id)).not.toHaveProperty('canonicalUrl');
      const unchanged = await app.client.patch(`/v1/posts/${other.id}`, {
        token: ada.token,
        body: { canonicalUrl: null },
      });
      expect(unchanged.body.updatedAt).toBe(other.updatedAt);
    });

    it('counts characters as people do', async () => {
      const post = await createPost({ title: '😀'.repeat(200) });
      expect([...post.title]).toHaveLength(200);
    });

    it('accepts the longest text, and cuts its preview between whole characters', async () => {
      const post = await createPost({ content: `a${'👩‍👩‍👧‍👦'.repeat(2_000)}` });
      expect(post.contentPreview.length).toBeLessThanOrEqual(700);
      expect(post.contentPreview.endsWith('👦')).toBe(true);
      expect((await app.client.get(`/v1/posts/${post.id}`)).body.contentPreview).toBe(post.contentPreview);
      await createPost({ content: 'x'.repeat(200_000) });
    });

    it('needs an account', async () => {
      const answer = await app.client.post('/v1/posts', { body: DRAFT });
      expectProblem(answer, 401, 'unauthorized');
    });

    it('accepts fifty concurrent posts of one author, and their deletions', async () => {
      const writer = await join();
      const attempts = app.everyOf(MongoService).map(({ client }) => jest.spyOn(client, 'startSession'));
      const posts = await Promise.all(
        Array.from({ length: 50 }, (_, at) => createPost({ title: `Post ${at}` }, writer)),
      );
      // The posts are created one after the other, because each writes the author's row and concurrent ones would run again.
      // For every other command the driver starts its own session, with options.
      const transactions = attempts.flatMap(({ mock }) => mock.calls).filter(([options]) => options === undefined);
      expect(transactions.length).toBeLessThan(75);
      expect(transactions.length).toBeGreaterThanOrEqual(50);
      for (const attempt of attempts) attempt.mockRestore();
      expect((await statsOf(writer)).postsCount).toBe(50);
      const removed = await Promise.all(
        posts.map(({ id }) => app.patient.delete(`/v1/posts/${id}`, { token: writer.token })),
      );
      expect(removed.map(({ status }) => status)).toEqual(posts.map(() => 204));
      expect((await statsOf(writer)).postsCount).toBe(0);
    });

    it('counts public posts of their author, drafts not', async () => {
      const writer = await join();
      await createPost({}, writer);
      await createPost({ isPublic: false }, writer);
      expect((await statsOf(writer)).postsCount).toBe(1);
      expect((await app.client.get(`/v1/users/${writer.username}`)).body.stats.postsCount).toBe(1);
    });
  });

  describe('reading', () => {
    it('finds a post by id, by slug, and by any words before the id, and names its one address', async () => {
      const post = await createPost();
      for (const address of [post.id, post.slug, `an-older-title-${post.id}`]) {
        const answer = await app.client.get(`/v1/posts/${address}`);
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual(post);
        expect(answer.headers.get('content-location')).toBe(`/v1/posts/${post.slug}`);
        expect(answer.headers.get('link')).toBe(`</v1/posts/${post.slug}>; rel="canonical"`);
        expect(answer.headers.get('etag')).toMatch(/^"1-/);
      }
      expect((await app.client.get(`/v1/posts/once-more-${post.id}`)).headers.get('x-cache')).toBe('HIT');
    });

    it('responds with 304 to a matching ETag, signed in or not', async () => {
      const post = await createPost();
      for (const token of [undefined, bob.token]) {
        const etag = (await app.client.get(`/v1/posts/${post.id}`, { token })).headers.get('etag')!;
        const answer = await app.client.get(`/v1/posts/${post.id}`, { token, headers: { 'if-none-match': etag } });
        expect(answer.status).toBe(304);
        expect(answer.body).toBe('');
      }
    });

    it.each(['nonsense', 'slug-64b00000000000000000000', 'a%24gt', '64B000000000000000000001'])(
      'refuses the address %s as one that can name no post',
      async (address) => {
        const answer = await app.client.get(`/v1/posts/${address}`);
        expectProblem(answer, 400, 'invalid_id');
      },
    );

    it('responds with 404 for an unknown id', async () => {
      const answer = await app.client.get('/v1/posts/64b000000000000000000001');
      expectProblem(answer, 404, 'post_not_found');
    });

    it('shows a hidden post to its author and to moderators, without a shared cache entry', async () => {
      const post = await createPost({ isPublic: false });
      const path = `/v1/posts/${post.id}`;
      const own = await app.client.get(path, { token: ada.token });
      expect(own.status).toBe(200);
      expect(own.headers.get('cache-control')).toContain('private');
      for (const token of [undefined, bob.token, undefined]) {
        expect((await app.client.get(path, { token })).status).toBe(404);
        expect((await app.client.get(`${path}/content`, { token })).status).toBe(404);
        const seen = await app.client.get(path, { token: moderator.token });
        expect([seen.status, seen.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
        const content = await app.client.get(`${path}/content`, { token: moderator.token });
        expect([content.status, content.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
      }
      expect((await app.client.get(`/v1/posts?ids=${post.id}`, { token: moderator.token })).body.data).toHaveLength(1);
      const vote = { token: moderator.token, body: { value: 'like' } };
      expect((await app.client.put(`${path}/vote`, vote)).status).toBe(404);
      expect((await app.client.get(`/v1/posts?ids=${post.id}`, { token: bob.token })).body.data).toEqual([]);
      expect((await app.client.get(`/v1/posts?ids=${post.id}`, { token: ada.token })).body.data).toHaveLength(1);
      expect((await app.client.get(`/v1/users/${ada.username}/posts`)).body.data).not.toContainEqual(
        expect.objectContaining({ id: post.id }),
      );
    });
  });

  describe('the Markdown of a post', () => {
    it('is sent in the stored encoding to clients that accept it, and plain to others', async () => {
      const content = `# Ü\n\n${'Engines weave patterns. '.repeat(400)}`;
      const post = await createPost({ content });
      const fetchContent = (encoding: string, etag?: string) =>
        fetch(`${app.url}/v1/posts/${post.slug}/content`, {
          headers: { 'accept-encoding': encoding, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
        });
      const plain = await fetchContent('identity');
      expect(plain.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(content);

      const stored = await app.db.collection('post_bodies').findOne({ _id: new ObjectId(post.id) });
      const { bytes, length } = await rawContent(`${app.url}/v1/posts/${post.id}/content`);
      expect(length).toBe(String(bytes.length));
      expect(Buffer.compare(bytes, stored!.bytes.buffer)).toBe(0);
      expect(Buffer.from(decompress(bytes)).toString()).toBe(content);
      expect(bytes.length).toBeLessThan(content.length / 10);

      const etag = plain.headers.get('etag')!;
      expect((await fetchContent('gzip', etag)).status).toBe(304);
      await app.client.patch(`/v1/posts/${post.id}`, { token: ada.token, body: { content: 'New.' } });
      const changed = await fetchContent('gzip', etag);
      expect([changed.status, await changed.text()]).toEqual([200, 'New.']);
    });
  });

  describe('editing', () => {
    it('changes the given fields, and computes the derived ones again', async () => {
      const post = await createPost({ tags: ['a'] });
      const answer = await app.client.patch(`/v1/posts/${post.slug}`, {
        token: ada.token,
        body: { title: 'Other Engines', content: 'word '.repeat(700), thumbnailUrl: null },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        id: post.id,
        slug: `other-engines-${post.id}`,
        isEdited: true,
        readTime: 3,
        tags: ['a'],
        createdAt: post.createdAt,
      });
      expect(answer.body.contentPreview.startsWith('word word')).toBe(true);
      const row = await postRow(post.id);
      expect(row!.contentEditedAt.getTime()).toBeGreaterThan(row!.createdAt.getTime());
      expect((await app.client.get(`/v1/posts/${post.id}`)).body).toEqual(answer.body);
      expect(answer.headers.get('etag')).toBe((await app.client.get(`/v1/posts/${post.id}`)).headers.get('etag'));
    });

    it('keeps the age of the content when only labels change, or no field does', async () => {
      const post = await createPost();
      const before = await postRow(post.id);
      const same = await app.client.patch(`/v1/posts/${post.id}`, { token: ada.token, body: { ...DRAFT } });
      expect(same.body).toEqual(post);
      expect((await postRow(post.id))!.version).toBe(1);
      const tagged = await app.client.patch(`/v1/posts/${post.id}`, { token: ada.token, body: { tags: ['b'] } });
      expect(tagged.body).toMatchObject({ tags: ['b'], isEdited: false });
      const after = await postRow(post.id);
      expect([after!.version, after!.contentEditedAt]).toEqual([2, before!.contentEditedAt]);
    });

    it('refuses an edit of a post that changed since, but not because of a vote', async () => {
      const post = await createPost();
      const path = `/v1/posts/${post.id}`;
      const etag = (await app.client.get(path)).headers.get('etag')!;
      await app.db.collection('posts').updateOne({ _id: new ObjectId(post.id) }, { $inc: { 'stats.likesCount': 1 } });
      const edit = (title: string, ifMatch: string) =>
        app.client.patch(path, { token: ada.token, body: { title }, headers: { 'if-match': ifMatch } });
      const first = await edit('First', etag);
      expect(first.status).toBe(200);
      const second = await edit('Second', etag);
      expectProblem(second, 412, 'precondition_failed');
      expect((await edit('Third', '"nonsense"')).status).toBe(412);
      expect((await edit('Fourth', first.headers.get('etag')!)).status).toBe(200);
      expect((await edit('Fifth', '*')).status).toBe(200);
      const late = await app.client.delete(path, { token: ada.token, headers: { 'if-match': etag } });
      expect(late.status).toBe(412);
      await app.db.collection('posts').updateOne({ _id: new ObjectId(post.id) }, { $inc: { 'stats.likesCount': -1 } });
    });

    it('accepts exactly one of ten edits of one version', async () => {
      const post = await createPost();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          app.client.patch(`/v1/posts/${post.id}`, {
            token: ada.token,
            body: { title: `Edit ${i}` },
            headers: { 'if-match': '"1-x"' },
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
      expect((await postRow(post.id))!.version).toBe(2);
    });

    it('lets no other account overwrite a post, for any id in the body', async () => {
      const post = await createPost();
      for (const other of [bob, moderator]) {
        const answer = await app.client.patch(`/v1/posts/${post.id}`, { token: other.token, body: { title: 'Mine' } });
        expectProblem(answer, 403, 'forbidden');
        const created = await app.client.post('/v1/posts', { token: other.token, body: { ...DRAFT, id: post.id } });
        expect(created.status).toBe(400);
      }
      expect((await app.client.get(`/v1/posts/${post.id}`)).body).toEqual(post);
      const hidden = await createPost({ isPublic: false });
      const answer = await app.client.patch(`/v1/posts/${hidden.id}`, { token: bob.token, body: { title: 'Mine' } });
      expect(answer.status).toBe(404);
    });

    it.each([
      ['stats', { stats: { likesCount: 5 } }],
      ['authorId', { authorId: '64b000000000000000000001' }],
      ['deletedAt', { deletedAt: null }],
      ['title', { title: null }],
      ['isPublic', { isPublic: null }],
      ['$set', { $set: { title: 'x' } }],
    ])('refuses %s in an edit', async (field, body) => {
      const post = await createPost();
      const answer = await app.client.patch(`/v1/posts/${post.id}`, { token: ada.token, body });
      expect(answer.status).toBe(400);
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
      expect((await app.client.get(`/v1/posts/${post.id}`)).body).toEqual(post);
    });
  });

  describe('hiding and publishing', () => {
    it('removes a post from every cached page and every count immediately, and restores it', async () => {
      const writer = await join();
      const post = await createPost({}, writer);
      await app.db.collection('posts').updateOne({ _id: new ObjectId(post.id) }, { $set: { 'stats.likesCount': 3 } });
      await app.db
        .collection('users')
        .updateOne({ _id: new ObjectId(writer.id) }, { $set: { 'stats.likesReceivedCount': 3 } });
      const path = `/v1/posts/${post.id}`;
      const list = `/v1/users/${writer.username}/posts`;
      for (const url of [path, list, path, list]) expect((await app.client.get(url)).status).toBe(200);

      await app.client.patch(path, { token: writer.token, body: { isPublic: false } });
      expect((await app.client.get(path)).status).toBe(404);
      expect((await app.client.get(list)).body.data).toEqual([]);
      expect(await statsOf(writer)).toMatchObject({ postsCount: 0, likesReceivedCount: 0 });
      expect((await app.client.patch(path, { token: writer.token, body: { isPublic: false } })).status).toBe(200);
      expect((await statsOf(writer)).postsCount).toBe(0);

      await app.client.patch(path, { token: writer.token, body: { isPublic: true } });
      expect((await app.client.get(path)).status).toBe(200);
      expect((await app.client.get(list)).body.data).toHaveLength(1);
      expect(await statsOf(writer)).toMatchObject({ postsCount: 1, likesReceivedCount: 3 });
    });
  });

  describe('deleting', () => {
    it('counts once for any number of requests', async () => {
      const writer = await join();
      const [kept, gone] = [await createPost({}, writer), await createPost({}, writer)];
      const path = `/v1/posts/${gone.id}`;
      await app.client.get(path);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => app.client.delete(path, { token: writer.token })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(404)]);
      expect((await app.client.delete(path, { token: writer.token })).status).toBe(404);
      expect((await statsOf(writer)).postsCount).toBe(1);
      const deleted = { topic: 'draft.expired', payload: new ObjectId(gone.id) };
      expect(await app.db.collection('tasks').countDocuments(deleted)).toBe(1);
      for (const token of [undefined, writer.token]) expect((await app.client.get(path, { token })).status).toBe(404);
      expect((await app.client.patch(path, { token: writer.token, body: { title: 'Back' } })).status).toBe(404);
      const mine = await app.client.get('/v1/posts/mine', { token: writer.token });
      expect(mine.body.data.map((card: { id: string }) => card.id)).toEqual([kept.id]);
    });

    it('is for the author only', async () => {
      const post = await createPost();
      const hidden = await createPost({ isPublic: false });
      expect((await app.client.delete(`/v1/posts/${post.id}`, { token: bob.token })).status).toBe(403);
      expect((await app.client.delete(`/v1/posts/${hidden.id}`, { token: bob.token })).status).toBe(404);
      expect((await app.client.delete(`/v1/posts/${post.id}`)).status).toBe(401);
      expect((await app.client.delete(`/v1/posts/${post.id}`, { token: moderator.token })).status).toBe(403);
    });

    it('does not touch the counters for a draft', async () => {
      const writer = await join();
      const draft = await createPost({ isPublic: false }, writer);
      expect((await app.client.delete(`/v1/posts/${draft.slug}`, { token: writer.token })).status).toBe(204);
      expect((await statsOf(writer)).postsCount).toBe(0);
    });
  });

  describe('lists', () => {
    const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map((card) => card.id);

    it('filters my own posts, and lists them oldest first', async () => {
      const writer = await join();
      const fields = [{ tags: ['night'] }, { isPublic: false }, { type: 'poem', tags: ['night'] }, { isPublic: false }];
      const posts: { id: string }[] = [];
      for (const some of [...fields, { visibility: 'unlisted' }]) posts.push(await createPost(some, writer));
      const { walk } = verbsOf(app);
      const found = async (query: string) => {
        const all = posts.map(({ id }) => id);
        return idsOf(await walk(`posts/mine?${query}`, 1, writer)).map((id) => all.indexOf(id));
      };

      expect(await found('sort=oldest')).toEqual([0, 1, 2, 3, 4]);
      expect(await found('visibility=public')).toEqual([2, 0]);
      expect(await found('visibility=private&sort=oldest')).toEqual([1, 3]);
      expect(await found('visibility=unlisted')).toEqual([4]);
      expect(await found('tag=night&sort=oldest')).toEqual([0, 2]);
      expect(await found('type=poem&tag=night')).toEqual([2]);

      const { body } = await app.client.get('/v1/posts/mine?limit=1', { token: writer.token });
      const other = `/v1/posts/mine?sort=oldest&cursor=${encodeURIComponent(body.page.nextCursor)}`;
      expectProblem(await app.client.get(other, { token: writer.token }), 400, 'invalid_cursor');
    });

    it('lists my own and an author’s posts without gaps or duplicates, drafts for the author only', async () => {
      const writer = await join();
      const posts: { id: string }[] = [];
      for (let i = 0; i < 7; i++) posts.push(await createPost({ title: `Post ${i}`, isPublic: i !== 3 }, writer));
      const newestFirst = posts.map(({ id }) => id).reverse();
      const { walk } = verbsOf(app);
      expect(idsOf(await walk('posts/mine', 2, writer))).toEqual(newestFirst);
      expect(idsOf(await walk(`users/${writer.username}/posts`, 2))).toEqual(
        newestFirst.filter((id) => id !== posts[3]!.id),
      );

      const first = await app.client.get('/v1/posts/mine?limit=2', { token: writer.token });
      const foreign = await app.client.get(`/v1/posts/mine?cursor=${first.body.page.nextCursor}`, { token: ada.token });
      expectProblem(foreign, 400, 'invalid_cursor');
      for (const limit of ['-1', '0', '101', '1.5', 'all']) {
        expect((await app.client.get(`/v1/users/${writer.username}/posts?limit=${limit}`)).status).toBe(400);
      }
      expect((await app.client.get('/v1/users/nobody_here/posts')).status).toBe(404);
    });

    it('returns posts by id in the requested order, each once', async () => {
      const [a, b, hidden] = [await createPost(), await createPost(), await createPost({ isPublic: false })];
      const none = '64b000000000000000000001';
      const query = [b.id, none, hidden.id, a.id, b.id].join(',');
      expect(ids(await app.client.get(`/v1/posts?ids=${query}`))).toEqual([b.id, a.id]);
      expect(ids(await app.client.get(`/v1/posts?ids=${query}`, { token: ada.token }))).toEqual([
        b.id,
        hidden.id,
        a.id,
      ]);
      const { content: _content, canonicalUrl: _canonicalUrl, isLocked: _isLocked, ...rest } = a;
      const { isHistoryPublic: _isHistoryPublic, visibility: _visibility, ...card } = rest;
      expect((await app.client.get(`/v1/posts?ids=${a.id}`)).body.data).toEqual([card]);
    });

    it.each([
      '',
      '?ids=',
      '?ids=x',
      '?ids[$ne]=64b000000000000000000001',
      `?ids=${Array.from({ length: 101 }, () => new ObjectId().toHexString()).join(',')}`,
      '?ids=64b000000000000000000001&limit=3',
    ])('refuses /posts%s', async (query) => {
      const answer = await app.client.get(`/v1/posts${query}`);
      expectProblem(answer, 400, 'invalid_input');
    });
  });

  describe('featured posts', () => {
    it('reveal nothing about a hidden post, hidden before or after', async () => {
      const writer = await join();
      const draft = await createPost({ title: 'Draft', isPublic: false }, writer);
      const shown = await createPost({ title: 'Shown' }, writer);
      const feature = (id: string) => app.client.put(`/v1/users/me/featured/${id}`, { token: writer.token });
      const change = (id: string, isPublic: boolean) =>
        app.client.patch(`/v1/posts/${id}`, { token: writer.token, body: { isPublic } });
      const featured = async () => {
        const own = `/v1/users/${writer.username}`;
        const answers = await Promise.all(
          [own, `/v1/users?ids=${writer.id}`, `${own}/featured`].map((path) => app.client.get(path)),
        );
        return answers.map(({ body }) => [draft.id, shown.id].filter((id) => JSON.stringify(body).includes(id)));
      };
      const refused = await feature(draft.id);
      expectProblem(refused, 409, 'post_hidden');
      expect((await feature(shown.id)).status).toBe(200);
      expect(await featured()).toEqual(Array(3).fill([shown.id]));
      expect((await change(shown.id, false)).status).toBe(200);
      expect(await featured()).toEqual([[], [], []]);
      expect((await change(draft.id, true)).status).toBe(200);
      expect((await feature(draft.id)).status).toBe(200);
      expect(await featured()).toEqual(Array(3).fill([draft.id]));
    });

    it('are never hidden ones, also when they are featured and hidden concurrently', async () => {
      const writer = await join();
      const posts = await Promise.all(Array.from({ length: 8 }, () => createPost({}, writer)));
      // A busy machine refuses some of sixteen concurrent changes of one profile with 503, and clients retry them.
      const hide = (id: string) =>
        app.patient.patch(`/v1/posts/${id}`, { token: writer.token, body: { isPublic: false } });
      const answers = await Promise.all(
        posts.flatMap(({ id }) => [app.client.put(`/v1/users/me/featured/${id}`, { token: writer.token }), hide(id)]),
      );
      for (let at = 0; at < answers.length; at += 2) {
        expect([200, 409, 503]).toContain(answers[at]!.status);
        expect(answers[at + 1]!.status).toBe(200);
      }
      expect((await app.client.get(`/v1/users/${writer.username}`)).body.featuredPostIds).toEqual([]);
    });

    it('are up to eight of my own, in order, and leave the profile with their deletion', async () => {
      const writer = await join();
      const posts: { id: string }[] = [];
      for (let i = 0; i < 9; i++) posts.push(await createPost({ title: `Post ${i}` }, writer));
      const feature = (id: string, method = 'PUT', by = writer) =>
        app.client.request(method, `/v1/users/me/featured/${id}`, { token: by.token });
      for (let i = 0; i < 8; i++) expect((await feature(posts[i]!.id)).status).toBe(200);
      expect((await feature(posts[0]!.id)).body.featuredPostIds).toHaveLength(8);
      const ninth = await feature(posts[8]!.id);
      expectProblem(ninth, 409, 'too_many_featured');
      expect((await feature(posts[0]!.id, 'PUT', ada)).status).toBe(403);
      expect((await feature('64b000000000000000000001')).status).toBe(404);

      await app.client.get(`/v1/users/${writer.username}`);
      await app.client.delete(`/v1/posts/${posts[2]!.id}`, { token: writer.token });
      expect((await feature(posts[8]!.id)).status).toBe(200);
      expect((await feature(posts[1]!.id, 'DELETE')).body.featuredPostIds).not.toContain(posts[1]!.id);
      expect((await feature(posts[1]!.id, 'DELETE')).status).toBe(200);
      await app.client.patch(`/v1/posts/${posts[3]!.id}`, { token: writer.token, body: { isPublic: false } });
      const shown = await app.client.get(`/v1/users/${writer.username}/featured`);
      expect(shown.body.data.map((card: { id: string }) => card.id)).toEqual(
        [0, 4, 5, 6, 7, 8].map((i) => posts[i]!.id),
      );
    });
  });
});

/** Uses node:http, because fetch would decode the body. */
async function rawContent(url: string): Promise<{ bytes: Buffer; length: string | undefined }> {
  const { get } = await import('node:http');
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip, zstd' } }, (response) => {
      expect(response.headers['content-encoding']).toBe('zstd');
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ bytes: Buffer.concat(chunks), length: response.headers['content-length'] }));
    }).on('error', reject);
  });
}
