import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let author: Person;
let readers: Person[];
let moderator: Person;

beforeAll(async () => {
  [author, ...readers] = await world.people(8);
  moderator = await world.person({ role: 'moderator' });
});

const vote = (path: string, { token }: Person, value: string | null) =>
  value === null
    ? app.client.delete(`${path}/vote`, { token })
    : app.client.put(`${path}/vote`, { token, body: { value } });

async function walk<T>(path: string, limit: number, of: (item: any) => T, token?: string): Promise<T[]> {
  const found: T[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await app.client.get(`${path}?limit=${limit}${cursor}`, { token });
    expect(status).toBe(200);
    found.push(...body.data.map(of));
    if (body.page.nextCursor === null) return found;
    expect(body.data).toHaveLength(limit);
    cursor = `&cursor=${body.page.nextCursor}`;
  }
}

describe.each(['post', 'comment'])('the list of likes of a %s', (kind) => {
  const make = async (): Promise<string> => {
    const post = await world.post({ by: author });
    return kind === 'post'
      ? `/v1/posts/${post.id}`
      : `/v1/comments/${(await world.comment({ by: author, on: post.id })).id}`;
  };
  const names = (path: string, limit = 2) => walk(`${path}/votes`, limit, ({ user }) => user.username as string);

  it('has accounts in pages, latest vote first, without dislikes', async () => {
    const path = await make();
    for (const [index, reader] of readers.entries()) await vote(path, reader, index === 2 ? 'dislike' : 'like');
    const expected = readers.filter((_, index) => index !== 2).map(({ username }) => username);
    for (const limit of [1, 2, 6, 100]) expect(await names(path, limit)).toEqual([...expected].reverse());
    await vote(path, readers[0]!, null);
    await vote(path, readers[1]!, 'dislike');
    await vote(path, readers[2]!, 'like');
    // A changed vote stays at its position.
    expect(await names(path)).toEqual([6, 5, 4, 3, 2].map((index) => readers[index]!.username));
    const { body } = await app.client.get(`${path}/votes?value=like&limit=1`);
    expect(Object.keys(body.data[0])).toEqual(['user', 'votedAt']);
    expect(Object.keys(body.data[0].user)).toEqual(['id', 'username', 'fullName', 'profilePicture']);
  });

  it('leaves out deleted accounts, in full pages', async () => {
    const path = await make();
    const people = await world.people(5);
    for (const person of people) await vote(path, person, 'like');
    await app.db.collection('users').updateOne({ _id: people[3]._id }, { $set: { deletedAt: new Date() } });
    expect(await names(path, 2)).toEqual([4, 2, 1, 0].map((index) => people[index]!.username));
  });

  it.each(['value=dislike', 'value=', 'value[$ne]=like', 'limit=0', 'limit=101', 'cursor=x', 'all=true'])(
    'refuses %s',
    async (query) => {
      const answer = await app.client.get(`${await make()}/votes?${query}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, expect.stringMatching(/problem/)]);
    },
  );

  it('refuses the cursor of another list, and is 404 for an unreadable target', async () => {
    const [one, other] = [await make(), await make()];
    for (const reader of readers) await vote(one, reader, 'like');
    const { body } = await app.client.get(`${one}/votes?limit=1`);
    const foreign = await app.client.get(`${other}/votes?cursor=${body.page.nextCursor}`);
    expectProblem(foreign, 400, 'invalid_cursor');
    const hidden = await world.post({ by: author, isPublic: false });
    const path =
      kind === 'post'
        ? `/v1/posts/${hidden.id}`
        : `/v1/comments/${(await world.comment({ by: author, on: hidden.id })).id}`;
    const statusFor = async (token?: string) => (await app.client.get(`${path}/votes`, { token })).status;
    expect([await statusFor(), await statusFor(readers[0]!.token)]).toEqual([404, 404]);
    expect([await statusFor(author.token), await statusFor(moderator.token)]).toEqual([200, 200]);
    expect((await app.client.get(`/v1/${kind}s/nothing/votes`)).status).toBe(400);
  });
});

describe('GET /v1/posts/:id/votes/followed', () => {
  const follow = (reader: Person, { username }: Person) =>
    app.client.put(`/v1/users/${username}/follow`, { token: reader.token });

  it('lists the likes of followed accounts in pages, latest vote first', async () => {
    const [reader, stranger, ...people] = await world.people(8);
    const { id } = await world.post({ by: author });
    for (const person of people) await follow(reader, person);
    for (const [index, person] of [stranger, ...people].entries())
      await vote(`/v1/posts/${id}`, person, index === 3 ? 'dislike' : 'like');
    await vote(`/v1/posts/${(await world.post({ by: author })).id}`, people[2], 'like');

    const expected = [5, 4, 3, 1, 0].map((index) => people[index]!.username);
    const names = (limit: number) =>
      walk(`/v1/posts/${id}/votes/followed`, limit, ({ user }) => user.username as string, reader.token);
    for (const limit of [1, 2, 5, 100]) expect(await names(limit)).toEqual(expected);
  });

  it('omits deleted, limited and blocked accounts, in full pages', async () => {
    const [reader, ...people] = await world.people(7);
    const { id } = await world.post({ by: author });
    for (const person of people) {
      await follow(reader, person);
      await vote(`/v1/posts/${id}`, person, 'like');
    }
    const users = app.db.collection('users');
    await users.updateOne({ _id: people[5]._id }, { $set: { deletedAt: new Date() } });
    await world.moderate({ kind: 'limit', targetKind: 'user', targetId: people[3].id });
    await app.client.put(`/v1/users/${people[1].username}/block`, { token: reader.token });

    const names = await walk(`/v1/posts/${id}/votes/followed`, 2, ({ user }) => user.username, reader.token);
    expect(names).toEqual([4, 2, 0].map((index) => people[index]!.username));
  });

  it('is 404 for a hidden post, 401 without a token, and refuses the cursor of another reader', async () => {
    const hidden = await world.post({ by: author, isPublic: false });
    const { id } = await world.post({ by: author });
    for (const person of readers) {
      await follow(author, person);
      await vote(`/v1/posts/${id}`, person, 'like');
    }
    const get = (path: string, person?: Person) => app.client.get(`/v1/posts/${path}`, { token: person?.token });

    expectProblem(await get(`${hidden.id}/votes/followed`, readers[0]), 404, 'post_not_found');
    expectProblem(await get(`${id}/votes/followed`), 401, 'unauthorized');
    const { page } = (await get(`${id}/votes/followed?limit=1`, author)).body;
    expectProblem(await get(`${id}/votes/followed?cursor=${page.nextCursor}`, readers[0]), 400, 'invalid_cursor');
  });
});

describe('GET /v1/users/me/liked', () => {
  it('lists the posts a reader likes, latest vote first, without comments, dislikes and deleted posts', async () => {
    const reader = await world.person();
    const posts: { id: string }[] = [];
    for (let i = 0; i < 7; i++) posts.push(await world.post({ by: author }));
    for (const [index, { id }] of posts.entries())
      await vote(`/v1/posts/${id}`, reader, index === 1 ? 'dislike' : 'like');
    const comment = await world.comment({ by: author, on: posts[0]!.id });
    await vote(`/v1/comments/${comment.id}`, reader, 'like');
    await app.client.put(`/v1/posts/${posts[1]!.id}/save`, { token: reader.token });
    await world.deletePost(posts[3]!.id, { by: author });
    await world.editPost(posts[4]!.id, { by: author, isPublic: false });
    const expected = [6, 5, 2, 0].map((index) => posts[index]!.id);
    for (const limit of [1, 2, 3, 100])
      expect(await walk('/v1/users/me/liked', limit, ({ id }) => id as string, reader.token)).toEqual(expected);
    const { body } = await app.client.get('/v1/users/me/liked?limit=1', { token: reader.token });
    const foreign = `/v1/users/me/saved?cursor=${body.page.nextCursor}`;
    expect((await app.client.get(foreign, { token: reader.token })).body.code).toBe('invalid_cursor');
    expect((await app.client.get('/v1/users/me/liked')).status).toBe(401);
  });
});
