import { ObjectId } from 'mongodb';
import { pairId } from '../../src/common/pair-id.js';
import type { Follow } from '../../src/follows/follow.schema.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { verbsOf } from '../support/verbs.js';

const app = useApp();
const { world } = app;
const { walk } = verbsOf(app);
const names = async (path: string, limit: number) => (await walk(path, limit)).map(({ user }) => user.username);

async function audit(): Promise<void> {
  const rows = await app.db.collection('follows').find().toArray();
  for (const user of await app.db.collection('users').find().toArray()) {
    const followers = rows.filter((row) => row.followingId.equals(user._id)).length;
    const following = rows.filter((row) => row.followerId.equals(user._id)).length;
    expect({ of: user.username, followers: user.stats.followersCount, following: user.stats.followingCount }).toEqual({
      of: user.username,
      followers,
      following,
    });
  }
}

describe('PUT and DELETE /v1/users/:username/follow', () => {
  it('is idempotent and responds with the exact state and count', async () => {
    const [ann, ben] = await world.people(2);
    const path = `/v1/users/${ben.username}/follow`;
    for (let times = 0; times < 2; times++) {
      const { status, body } = await app.client.put(path, { token: ann.token });
      expect(status).toBe(200);
      expect(body).toEqual({ username: ben.username, isFollowing: true, followersCount: 1 });
    }
    for (let times = 0; times < 2; times++) {
      const { body } = await app.client.delete(path, { token: ann.token });
      expect(body).toEqual({ username: ben.username, isFollowing: false, followersCount: 0 });
    }
    await audit();
  });

  it('refuses to follow oneself or an unknown account, and refuses visitors', async () => {
    const ann = await world.person();
    const self = await app.client.put(`/v1/users/${ann.username.toUpperCase()}/follow`, { token: ann.token });
    expectProblem(self, 400, 'follow_self');
    const nobody = await app.client.put('/v1/users/nobody_here/follow', { token: ann.token });
    expectProblem(nobody, 404, 'user_not_found');
    const weird = await app.client.put('/v1/users/%7B%22%24gt%22%3A%22%22%7D/follow', { token: ann.token });
    expectProblem(weird, 404, 'user_not_found');
    const anonymous = await app.client.put(`/v1/users/${ann.username}/follow`);
    expect([anonymous.status, anonymous.headers.has('www-authenticate')]).toEqual([401, true]);
  });

  it('counts 300 concurrent followers as 300, and 300 requests of one as one', async () => {
    const [star, ...fans] = await world.people(301);
    const path = `/v1/users/${star.username}/follow`;
    const counts = await Promise.all(fans.map(({ token }) => app.patient.put(path, { token })));
    expect(counts.map(({ body }) => body.followersCount as number).sort((a, b) => a - b)).toEqual(
      fans.map((_, index) => index + 1),
    );
    await Promise.all(fans.map(() => app.patient.put(path, { token: fans[0].token })));
    const { body } = await app.client.get(`/v1/users/${star.username}`);
    expect(body.stats.followersCount).toBe(300);
    await audit();
  });
});

describe('DELETE /v1/users/me/followers/:username', () => {
  it('removes a follower, once, with both counters, and keeps the follows of the viewer', async () => {
    const [ann, ben] = await world.people(2);
    await app.client.put(`/v1/users/${ben.username}/follow`, { token: ann.token });
    await app.client.put(`/v1/users/${ann.username}/follow`, { token: ben.token });
    for (let times = 0; times < 2; times++) {
      const answer = await app.client.delete(`/v1/users/me/followers/${ann.username}`, { token: ben.token });
      expect([answer.status, answer.body]).toEqual([
        200,
        { username: ann.username, isFollower: false, followersCount: 0 },
      ]);
    }
    expect(await names(`users/${ann.username}/followers`, 5)).toEqual([ben.username]);
    await audit();
    expect((await app.client.put(`/v1/users/${ben.username}/follow`, { token: ann.token })).body.followersCount).toBe(
      1,
    );
  });

  it('refuses strangers, visitors, and oneself', async () => {
    const [ann, ended] = await world.people(2);
    const remove = (username: string, token?: string) =>
      app.client.delete(`/v1/users/me/followers/${username}`, { token });
    expect((await remove(ended.username, ann.token)).body.isFollower).toBe(false);
    await app.db.collection('users').updateOne({ _id: ended._id }, { $set: { deletedAt: new Date() } });
    const answers = [
      await remove('nobody_here', ann.token),
      await remove(ended.username, ann.token),
      await remove(ann.username, ann.token),
      await remove(ended.username),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'user_not_found'],
      [404, 'user_not_found'],
      [400, 'follow_self'],
      [401, 'unauthorized'],
    ]);
  });
});

describe('GET /v1/users/me/relationships', () => {
  const getRelationships = (ids: string, token?: string) =>
    app.client.get(`/v1/users/me/relationships?ids=${ids}`, { token });

  it('returns the state of each account in the requested order, during concurrent follows and unfollows', async () => {
    const [ann, ...others] = await world.people(31);
    const changes = others.flatMap((other, index) => [
      ...(index % 2 === 0 ? [{ token: ann.token, username: other.username }] : []),
      ...(index % 3 === 0 ? [{ token: other.token, username: ann.username }] : []),
    ]);
    const ids = others.map(({ id }) => id);
    const change = async (method: 'PUT' | 'DELETE'): Promise<void> => {
      await Promise.all(
        changes.map(({ token, username }) => app.patient.request(method, `/v1/users/${username}/follow`, { token })),
      );
    };
    for (const method of ['PUT', 'DELETE', 'PUT'] as const) {
      const changing = change(method);
      // A response may show either state of a changing pair, but one state for each pair.
      for (let times = 0; times < 3; times++) {
        const { status, body } = await getRelationships(ids.join(','), ann.token);
        expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, ids]);
      }
      await changing;
      const follows = app.db.collection<Follow>('follows');
      const has = async (a: Person, b: Person) => (await follows.findOne({ _id: pairId(a._id, b._id) })) !== null;
      const rows = await Promise.all(
        others.map(async (other) => ({
          id: other.id,
          isFollowing: await has(ann, other),
          isFollowedBy: await has(other, ann),
          ...{ hasBell: false, isBlocked: false, isMuted: false },
        })),
      );
      expect((await getRelationships(ids.join(','), ann.token)).body.data).toEqual(rows);
      const single = await Promise.all(ids.map((id) => getRelationships(id, ann.token)));
      expect(single.map(({ body }) => body.data[0])).toEqual(rows);
      expect(rows.filter(({ isFollowing }) => isFollowing)).toHaveLength(method === 'PUT' ? 15 : 0);
      expect(rows.filter(({ isFollowedBy }) => isFollowedBy)).toHaveLength(method === 'PUT' ? 10 : 0);
    }
    await audit();
  });

  it('returns nothing for accounts that do not exist, nor for oneself', async () => {
    const ann = await world.person();
    const none = new ObjectId().toHexString();
    const { body } = await getRelationships(`${none},${ann.id},${none}`, ann.token);
    expect(body.data).toEqual(
      [none, ann.id].map((id) => ({
        id,
        isFollowing: false,
        isFollowedBy: false,
        hasBell: false,
        isBlocked: false,
        isMuted: false,
      })),
    );
  });

  it.each([
    ['no id', ''],
    ['a name', 'ada_lovelace'],
    ['an operator', '{"$gt":""}'],
    ['101 ids', Array.from({ length: 101 }, () => new ObjectId().toHexString()).join(',')],
  ])('refuses %s and names the parameter', async (_, ids) => {
    const ann = await world.person();
    const { status, body } = await getRelationships(encodeURIComponent(ids), ann.token);
    expect([status, body.errors[0].field]).toEqual([400, 'ids']);
    expect((await getRelationships(encodeURIComponent(ids))).status).toBe(401);
  });
});

describe('following many', () => {
  it('ends at 5,000, also for concurrent requests in two processes', async () => {
    const [ann, ...others] = await world.people(41);
    const second = await startApp({ beside: app });
    try {
      const held = Array.from({ length: 4_990 }, () => new ObjectId());
      await app.db.collection<Follow>('follows').insertMany(
        held.map((followingId) => ({
          ...{ _id: pairId(ann._id, followingId), followerId: ann._id, followingId },
          ...{ seq: new ObjectId(), since: new Date() },
        })),
      );
      await app.db.collection('users').updateOne({ _id: ann._id }, { $set: { 'stats.followingCount': held.length } });
      const follow = (username: string, via: TestApp = app) =>
        via.patient.put(`/v1/users/${username}/follow`, { token: ann.token });
      const answers = await Promise.all(
        others.map(({ username }, index) => follow(username, index % 2 === 0 ? app : second)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(30).fill([409, 'too_many_follows']));
      const rows = await app.db.collection('follows').countDocuments({ followerId: ann._id });
      const { body } = await app.client.get(`/v1/users/${ann.username}`);
      expect([rows, body.stats.followingCount]).toEqual([5_000, 5_000]);
      // Follows above the limit stay, and an unfollow makes room.
      const followed = others[answers.findIndex(({ status }) => status === 200)]!.username;
      const left = others[answers.findIndex(({ status }) => status !== 200)]!.username;
      expect((await follow(followed)).status).toBe(200);
      expect((await follow(left)).status).toBe(409);
      await app.client.delete(`/v1/users/${followed}/follow`, { token: ann.token });
      expect((await follow(left)).status).toBe(200);
    } finally {
      await second.close();
      await app.db.collection('follows').deleteMany({ followerId: ann._id });
      await app.db.collection('users').deleteMany({ _id: { $in: [ann._id, ...others.map(({ _id }) => _id)] } });
    }
  });
});

describe('GET /v1/users/:username/followers and /following', () => {
  it('lists the latest first in full pages, without deleted accounts, and null only at the end', async () => {
    const [star, ...fans] = await world.people(24);
    for (const { token } of fans) await app.client.put(`/v1/users/${star.username}/follow`, { token });
    for (const { username } of fans) await app.client.put(`/v1/users/${username}/follow`, { token: star.token });
    const ended = fans.filter((_, index) => index % 4 === 1);
    await app.db
      .collection('users')
      .updateMany({ _id: { $in: ended.map(({ _id }) => _id) } }, { $set: { deletedAt: new Date() } });
    const expected = fans
      .filter((fan) => !ended.includes(fan))
      .map(({ username }) => username)
      .reverse();
    for (const limit of [1, 5, 6, 17, 100]) {
      expect(await names(`users/${star.username}/followers`, limit)).toEqual(expected);
      expect(await names(`users/${star.username}/following`, limit)).toEqual(expected);
    }
  });

  it('refuses a cursor of another list and limits outside 1 to 100', async () => {
    const [star, ...fans] = await world.people(4);
    for (const { token } of fans) await app.client.put(`/v1/users/${star.username}/follow`, { token });
    const { body } = await app.client.get(`/v1/users/${star.username}/followers?limit=1`);
    for (const path of [`${star.username}/following`, `${fans[0].username}/followers`]) {
      const foreign = await app.client.get(`/v1/users/${path}?cursor=${body.page.nextCursor}`);
      expectProblem(foreign, 400, 'invalid_cursor');
    }
    for (const limit of ['-1', '0', '101', '1e1', 'x']) {
      expect((await app.client.get(`/v1/users/${star.username}/followers?limit=${limit}`)).status).toBe(400);
    }
    expect((await app.client.get('/v1/users/nobody_here/followers')).status).toBe(404);
  });

  it('never shows an e-mail address or a role', async () => {
    const [star, fan] = await world.people(2);
    await app.client.put(`/v1/users/${star.username}/follow`, { token: fan.token });
    const { body } = await app.client.get(`/v1/users/${star.username}/followers`);
    expect(Object.keys(body.data[0])).toEqual(['user', 'since']);
    expect(Object.keys(body.data[0].user)).toEqual(['id', 'username', 'fullName', 'profilePicture']);
  });
});

describe('GET /v1/users/:username/followers?known=true', () => {
  const follow = (by: Person, { username }: Person) =>
    app.client.put(`/v1/users/${username}/follow`, { token: by.token });

  it('lists the followers that the reader follows in pages, latest first, without deleted and limited ones', async () => {
    const [reader, star, stranger, ...people] = await world.people(10);
    for (const fan of [stranger, ...people]) await follow(fan, star);
    for (const person of [star, ...people.slice(1)]) await follow(reader, person);
    await app.db.collection('users').updateOne({ _id: people[2]._id }, { $set: { deletedAt: new Date() } });
    await world.moderate({ kind: 'limit', targetKind: 'user', targetId: people[4].id });

    const expected = [6, 5, 3, 1].map((index) => people[index]!.username);
    for (const limit of [1, 3, 100]) {
      const rows = await walk(`users/${star.username}/followers?known=true`, limit, reader);
      expect(rows.map(({ user }) => user.username)).toEqual(expected);
    }
    expect(await walk(`users/${star.username}/followers?known=true`, 5, stranger)).toEqual([]);
    expect(await names(`users/${star.username}/followers?known=false`, 5)).toHaveLength(7);
  });

  it('is 401 for a visitor, and refuses other values and the cursor of another reader', async () => {
    const [star, ...people] = await world.people(4);
    for (const fan of people.slice(1)) await follow(fan, star);
    for (const fan of people.slice(1)) await follow(people[0], fan);
    const get = (query: string, by?: Person) =>
      app.client.get(`/v1/users/${star.username}/followers?${query}`, { token: by?.token });

    const visitor = await get('known=true');
    expectProblem(visitor, 401, 'unauthorized');
    expect(visitor.body.detail).toContain('known=true');
    const { page } = (await get('known=true&limit=1', people[0])).body;
    expectProblem(await get(`known=true&cursor=${page.nextCursor}`, people[1]), 400, 'invalid_cursor');
    expectProblem(await get(`cursor=${page.nextCursor}`, people[0]), 400, 'invalid_cursor');
    expect((await get('known=1', people[0])).body.errors[0].field).toBe('known');
  });
});

describe('GET /v1/users/suggested', () => {
  const follow = (by: Person, { username }: Person) =>
    app.client.put(`/v1/users/${username}/follow`, { token: by.token });

  it('lists accounts that two followed accounts follow, the most common first, and none that the reader may not want', async () => {
    const [reader, a, b, c, most, common, rare, followed] = await world.people(8);
    const [blocked, muted, limited, ended] = await world.people(4);
    for (const person of [a, b, c, followed]) await follow(reader, person);
    for (const by of [a, b]) {
      for (const person of [most, common, followed, blocked, muted, limited, ended]) await follow(by, person);
    }
    await follow(c, most);
    await follow(c, rare);
    for (const by of [a, b, c]) await follow(by, reader);
    await app.client.put(`/v1/users/${blocked.username}/block`, { token: reader.token });
    await app.client.put(`/v1/users/${muted.username}/mute`, { token: reader.token, body: {} });
    await world.moderate({ kind: 'ban', targetKind: 'user', targetId: limited.id });
    await app.db.collection('users').updateOne({ _id: ended._id }, { $set: { deletedAt: new Date() } });
    const get = async (query = '') => {
      const { status, body } = await app.client.get(`/v1/users/suggested${query}`, { token: reader.token });
      expect(status).toBe(200);
      return body.data.map((row: any) => [row.user.username, row.knownFollowersCount]);
    };

    expect(await get()).toEqual([
      [most.username, 3],
      [common.username, 2],
    ]);
    expect(await get('?limit=1')).toEqual([[most.username, 3]]);
    await follow(reader, most);
    expect(await get()).toEqual([[common.username, 2]]);
  });

  it('is empty without follows, and 401 for a visitor', async () => {
    const reader = await world.person();
    expect((await app.client.get('/v1/users/suggested', { token: reader.token })).body).toEqual({ data: [] });
    expectProblem(await app.client.get('/v1/users/suggested'), 401, 'unauthorized');
  });
});
