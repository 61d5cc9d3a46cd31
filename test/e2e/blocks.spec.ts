import { ObjectId } from 'mongodb';
import { type Block, MAX_PAIRS, type Mute } from '../../src/blocks/block.schema.js';
import { pairId } from '../../src/common/pair-id.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;

const LIKE = { value: 'like' };

const { send, ok } = verbsOf(app);
const block = (by: Person, other: Person) => ok(by, 'PUT', `users/${other.username}/block`);
const mute = (by: Person, other: Person, body = {}) => ok(by, 'PUT', `users/${other.username}/mute`, body);
const relationOf = async (by: Person, other: Person) =>
  (await ok(by, 'GET', `users/me/relationships?ids=${other.id}`)).data[0];
const namesIn = async (by: Person, list: 'blocks' | 'mutes') =>
  (await ok(by, 'GET', `users/me/${list}`)).data.map(({ user }: { user: { username: string } }) => user.username);
const kindsOf = async (by: Person) => {
  await drainActivity(app);
  await drainTasks(app);
  return (await ok(by, 'GET', 'notifications')).data.map(({ kind }: { kind: string }) => kind).sort();
};

describe('PUT and DELETE /v1/users/:username/block', () => {
  it('is idempotent, and shown to the account that blocks, nowhere to the other one', async () => {
    const [ann, ben] = await world.people(2);

    for (let times = 0; times < 2; times++)
      expect(await block(ann, ben)).toEqual({ username: ben.username, isBlocked: true });

    expect([await namesIn(ann, 'blocks'), await namesIn(ben, 'blocks')]).toEqual([[ben.username], []]);
    expect([await relationOf(ann, ben), await relationOf(ben, ann)]).toMatchObject([
      { isBlocked: true, isMuted: false },
      { isBlocked: false, isMuted: false },
    ]);
    expect((await ok(ann, 'GET', `viewer?users=${ben.id}`)).users).toMatchObject([{ isBlocked: true, isMuted: false }]);
    for (let times = 0; times < 2; times++)
      expect(await ok(ann, 'DELETE', `users/${ben.username}/block`)).toEqual({
        username: ben.username,
        isBlocked: false,
      });
    expect([await namesIn(ann, 'blocks'), (await relationOf(ann, ben)).isBlocked]).toEqual([[], false]);
    await ok(ben, 'PUT', `users/${ann.username}/follow`);
  });

  it('ends the follows in both directions with their counters, and restores none', async () => {
    const [ann, ben] = await world.people(2);
    await ok(ann, 'PUT', `users/${ben.username}/follow`);
    await ok(ben, 'PUT', `users/${ann.username}/follow`);

    await block(ann, ben);

    expect(await relationOf(ann, ben)).toMatchObject({ isFollowing: false, isFollowedBy: false });
    expect(await differences(app.db)).toEqual([]);
    await ok(ann, 'DELETE', `users/${ben.username}/block`);
    expect(await relationOf(ann, ben)).toMatchObject({ isFollowing: false, isFollowedBy: false });
  });

  it('refuses oneself, unknown accounts and visitors', async () => {
    const ann = await world.person();

    for (const kind of ['block', 'mute']) {
      for (const method of ['PUT', 'DELETE']) {
        const body = kind === 'mute' && method === 'PUT' ? {} : undefined;
        expectProblem(await send(ann, method, `users/${ann.username}/${kind}`, body), 400, 'block_self');
        expectProblem(await send(ann, method, `users/no_such_name/${kind}`, body), 404, 'user_not_found');
        expect((await app.client.request(method, `/v1/users/${ann.username}/${kind}`)).status).toBe(401);
      }
      expect((await app.client.get(`/v1/users/me/${kind}s`)).status).toBe(401);
    }
  });

  it.each(['block', 'mute'] as const)('ends at 2,000: a %s more is refused, an existing one is not', async (kind) => {
    const [ann, ben, eve] = await world.people(3);
    const rows = Array.from({ length: MAX_PAIRS }, (_, at) => {
      const otherId = at === 0 ? ben._id : new ObjectId();
      const row = { _id: pairId(ann._id, otherId), ownerId: ann._id, otherId, seq: new ObjectId() };
      return kind === 'block' ? row : { ...row, until: null };
    });
    await app.db.collection<Block | Mute>(`${kind}s`).insertMany(rows);

    const body = kind === 'mute' ? {} : undefined;
    expectProblem(await send(ann, 'PUT', `users/${eve.username}/${kind}`, body), 409, `too_many_${kind}s`);

    await ok(ann, 'PUT', `users/${ben.username}/${kind}`, body);
    await ok(ann, 'DELETE', `users/${ben.username}/${kind}`);
    await ok(ann, 'PUT', `users/${eve.username}/${kind}`, body);
    await app.db.collection(`${kind}s`).deleteMany({ ownerId: ann._id });
  });
});

describe('a block, in either direction', () => {
  /** Writes of a reader to the content of an author. A block in either direction refuses each of them. */
  const things = async (author: Person, third: Person) => {
    const own = await world.post({ by: author });
    const ofThird = await world.post({ by: third });
    const comment = await world.comment({ by: author, on: ofThird.id });
    const list = await world.collection({ by: author });
    return { own, ofThird, comment, list };
  };

  it.each([
    ['the author blocks the reader', true],
    ['the reader blocks the author', false],
  ])('refuses follows, votes, comments, replies and edits with the same text: %s', async (_, isByAuthor) => {
    const [author, reader, third] = await world.people(3);
    const { own, ofThird, comment, list } = await things(author, third);
    const mine = await world.comment({ by: reader, on: own.id });
    const answer = await world.comment({ by: reader, on: ofThird.id, parentId: comment.id });
    await ok(reader, 'PUT', `posts/${own.id}/vote`, LIKE);
    await (isByAuthor ? block(author, reader) : block(reader, author));

    const refused = [
      await send(reader, 'PUT', `users/${author.username}/follow`),
      await send(author, 'PUT', `users/${reader.username}/follow`),
      await send(reader, 'PUT', `posts/${own.id}/vote`, { value: 'dislike' }),
      await send(reader, 'PUT', `comments/${comment.id}/vote`, LIKE),
      await send(author, 'PUT', `comments/${mine.id}/vote`, LIKE),
      await send(reader, 'PUT', `collections/${list.id}/vote`, LIKE),
      await send(reader, 'PUT', `collections/${list.id}/follow`),
      await send(reader, 'POST', `posts/${own.id}/comments`, { content: 'And another thing.' }),
      await send(reader, 'POST', `posts/${ofThird.id}/comments`, { content: 'No.', parentId: comment.id }),
      await send(author, 'POST', `posts/${ofThird.id}/comments`, { content: 'No.', parentId: answer.id }),
      await send(reader, 'PATCH', `comments/${mine.id}`, { content: 'What I meant.' }),
      await send(reader, 'PATCH', `comments/${answer.id}`, { content: 'What I meant.' }),
    ];

    for (const one of refused) expectProblem(one, 403, 'blocked', { detail: refused[0]!.body.detail });
    // Content of a third account, saves, deletions and reads stay allowed.
    await ok(reader, 'PUT', `posts/${ofThird.id}/vote`, LIKE);
    await ok(reader, 'POST', `posts/${ofThird.id}/comments`, { content: 'To the third.' });
    await ok(reader, 'PUT', `posts/${own.id}/save`);
    await ok(reader, 'DELETE', `posts/${own.id}/vote`);
    await ok(reader, 'DELETE', `comments/${mine.id}`);
    await ok(reader, 'GET', `posts/${own.id}`);
    await ok(reader, 'DELETE', `comments/${answer.id}`);
    expect(await differences(app.db)).toEqual([]);
  });

  it('creates no notification of the other account, mentions and bells included', async () => {
    const [ann, ben, third] = await world.people(3);
    const ofThird = await world.post({ by: third });
    const ofBen = await world.post({ by: ben });
    await ok(ann, 'PUT', `users/${ben.username}/bell`);
    await ok(ann, 'PUT', `posts/${ofThird.id}/watch`, { level: 'watching' });
    await ok(ann, 'PUT', `posts/${ofBen.id}/vote`, LIKE);
    await block(ben, ann);

    await world.post({ by: ben, content: `About @${ann.username}.` });
    await world.comment({ by: ben, on: ofThird.id, content: `See this, @${ann.username}.` });
    await world.comment({ by: third, on: ofThird.id, content: `And this, @${ann.username}.` });

    expect(await kindsOf(ann)).toEqual(['watched']);
    expect(await kindsOf(ben)).toEqual([]);
  });
});

describe('PUT and DELETE /v1/users/:username/mute', () => {
  it('is idempotent, changes its end, and is shown only to the account that mutes', async () => {
    const [ann, ben] = await world.people(2);
    const path = `users/${ben.username}/mute`;
    const until = '2099-12-31T00:00:00.000Z';

    expect(await ok(ann, 'PUT', path, {})).toEqual({ username: ben.username, isMuted: true, until: null });
    expect(await ok(ann, 'PUT', path, { until })).toEqual({ username: ben.username, isMuted: true, until });

    const { data } = await ok(ann, 'GET', 'users/me/mutes');
    expect(data).toMatchObject([{ user: { id: ben.id }, until }]);
    expect([await relationOf(ann, ben), await relationOf(ben, ann)]).toMatchObject([
      { isBlocked: false, isMuted: true },
      { isBlocked: false, isMuted: false },
    ]);
    expectProblem(await send(ann, 'PUT', path, { until: '2020-01-01T00:00:00Z' }), 400, 'invalid_expiry');
    for (let times = 0; times < 2; times++)
      expect(await ok(ann, 'DELETE', path)).toEqual({ username: ben.username, isMuted: false, until: null });
    expect(await namesIn(ann, 'mutes')).toEqual([]);
  });

  it('ends in time, before its row is deleted', async () => {
    const [ann, ben] = await world.people(2);
    await mute(ann, ben, { until: '2099-12-31T00:00:00Z' });
    await app.db.collection('mutes').updateOne({ ownerId: ann._id }, { $set: { until: new Date(Date.now() - 1) } });

    expect([await namesIn(ann, 'mutes'), (await relationOf(ann, ben)).isMuted]).toEqual([[], false]);
    const post = await world.post({ by: ann });
    await world.comment({ by: ben, on: post.id });
    expect(await kindsOf(ann)).toEqual(['comment']);
  });

  it('creates no notification of what the account does, and refuses nothing', async () => {
    const [ann, ben] = await world.people(2);
    const post = await world.post({ by: ann });
    await mute(ann, ben);
    await ok(ann, 'PUT', `users/${ben.username}/bell`);

    await ok(ben, 'PUT', `users/${ann.username}/follow`);
    await ok(ben, 'PUT', `posts/${post.id}/vote`, LIKE);
    await ok(ben, 'POST', `posts/${post.id}/comments`, { content: `Well, @${ann.username}.` });
    const other = await world.post({ by: ben });
    await ok(ann, 'PUT', `posts/${other.id}/vote`, LIKE);

    expect([await kindsOf(ann), await kindsOf(ben)]).toEqual([[], ['like_post']]);
  });
});

describe('DELETE /v1/comments/:id by the author of the post', () => {
  it('removes a comment of another account on the own post, and no other one', async () => {
    const [author, reader, third] = await world.people(3);
    const [own, other] = [await world.post({ by: author }), await world.post({ by: third })];
    const comment = await world.comment({ by: reader, on: own.id });
    const elsewhere = await world.comment({ by: reader, on: other.id });

    expectProblem(await send(third, 'DELETE', `comments/${comment.id}`), 403, 'forbidden');
    expectProblem(await send(third, 'DELETE', `comments/${comment.id}?tree=true`), 403, 'forbidden');
    expectProblem(await send(author, 'DELETE', `comments/${elsewhere.id}`), 403, 'forbidden');
    await ok(author, 'DELETE', `comments/${comment.id}`);

    expectProblem(await send(author, 'GET', `comments/${comment.id}`), 404, 'comment_not_found');
    expect(await app.db.collection('moderation_actions').countDocuments({ targetId: new ObjectId(comment.id) })).toBe(
      0,
    );
    expect(await differences(app.db)).toEqual([]);
  });
});
