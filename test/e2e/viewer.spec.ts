import { ObjectId } from 'mongodb';
import { makeApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { drainActivity, verbsOf } from '../support/verbs.js';

const app = useApp();
const { world } = app;
const { ok, act } = verbsOf(app);

describe('GET /v1/viewer', () => {
  it('has my votes, saves, follows, bells, hidden and watched posts for a page, in the order of the ids', async () => {
    const [reader, followed, follower] = await world.people(3);
    const { token } = reader;
    const [liked, saved] = [await world.post({ by: followed }), await world.post({ by: followed })];
    const comment = await world.comment({ by: followed, on: liked.id });
    const list = await world.collection({ by: followed });
    await app.patient.put(`/v1/posts/${liked.id}/vote`, { token, body: { value: 'like' } });
    await app.patient.put(`/v1/posts/${liked.id}/vote`, { token: follower.token, body: { value: 'like' } });
    await app.patient.put(`/v1/posts/${saved.id}/save`, { token });
    await app.patient.put(`/v1/comments/${comment.id}/vote`, { token, body: { value: 'dislike' } });
    await app.patient.put(`/v1/collections/${list.id}/follow`, { token });
    await app.patient.put(`/v1/users/${followed.username}/follow`, { token });
    await app.patient.put(`/v1/users/${reader.username}/follow`, { token: follower.token });
    await app.patient.put(`/v1/posts/${saved.id}/hide`, { token });
    await app.patient.put(`/v1/posts/${liked.id}/watch`, { token, body: { level: 'muted' } });
    await app.patient.put(`/v1/users/${followed.username}/bell`, { token });
    const unknown = new ObjectId().toHexString();

    const page = `posts=${saved.id},${liked.id}&users=${followed.id}&users=${follower.id}`;
    await app.patient.put('/v1/tags/looms/follow', { token });
    const path = `/v1/viewer?${page}&tags=Looms,other&comments=${unknown},${comment.id}&collections=${list.id}`;
    const { status, body, headers } = await app.client.get(path, { token });

    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    const { account: _account, unread: _unread, ...states } = body;
    const relation = { isFollowing: false, isFollowedBy: false, hasBell: false, isBlocked: false, isMuted: false };
    expect(states).toEqual({
      posts: [
        { postId: saved.id, vote: null, isSaved: true, isHidden: true, watch: null },
        { postId: liked.id, vote: 'like', isSaved: false, isHidden: false, watch: 'muted' },
      ],
      comments: [
        { commentId: unknown, vote: null },
        { commentId: comment.id, vote: 'dislike' },
      ],
      collections: [{ collectionId: list.id, vote: null, isFollowing: true }],
      users: [
        { ...relation, userId: followed.id, isFollowing: true, hasBell: true },
        { ...relation, userId: follower.id, isFollowedBy: true },
      ],
      tags: [
        { tag: 'looms', isFollowing: true },
        { tag: 'other', isFollowing: false },
      ],
    });
  });

  it('has my account with its restrictions, and the number of unread notifications', async () => {
    const [writer, moderator] = [await world.person({ overHttp: true }), await world.person({ role: 'moderator' })];
    const post = await world.post({ by: writer });
    await world.comment({ by: await world.person(), on: post.id });
    await drainActivity(app);
    const warning = { until: new Date(Date.now() + 86_400_000).toISOString() };
    expect((await act(moderator, 'limit', 'user', writer.id, warning)).status).toBe(201);

    const { account, unread, ...states } = await ok(writer, 'GET', 'viewer');

    const { id, username } = writer;
    expect(account).toMatchObject({ id, username, profilePicture: null, role: 'user', isEmailVerified: false });
    expect(account.standing).toMatchObject({ level: 'limited', until: warning.until });
    expect(unread.count).toBeGreaterThan(0);
    expect(unread).toEqual(await ok(writer, 'GET', 'notifications/unread-count'));
    expect(states).toEqual({ posts: [], comments: [], collections: [], users: [], tags: [] });
  });

  it('has account and notifications only for API tokens with their scopes', async () => {
    const person = await world.person({ overHttp: true });
    const read = await makeApiToken(app, person, ['read']);
    expect(await ok(read, 'GET', 'viewer')).toMatchObject({ account: null, unread: null });
    const more = await makeApiToken(app, person, ['read', 'profile', 'notifications']);
    expect(await ok(more, 'GET', 'viewer')).toMatchObject({ account: { id: person.id }, unread: { count: 0 } });
  });

  it('accepts at most 100 ids of each kind, and no visitors', async () => {
    const { token } = await world.person();
    const ids = Array.from({ length: 101 }, () => new ObjectId().toHexString());
    const { body } = await app.client.get(`/v1/viewer?comments=${ids.slice(1).join()}`, { token });
    expect(body.comments).toHaveLength(100);
    for (const query of [`posts=${ids.join()}`, 'comments=', 'users=x', `collections[$ne]=${ids[0]}`]) {
      const { status, body: problem } = await app.client.get(`/v1/viewer?${query}`, { token });
      expect([query, status, problem.code]).toEqual([query, 400, 'invalid_input']);
    }
    expect((await app.client.get('/v1/viewer')).status).toBe(401);
  });
});
