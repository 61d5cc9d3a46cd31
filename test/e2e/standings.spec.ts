import { ObjectId } from 'mongodb';
import { StandingsService } from '../../src/auth/standings.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Standing } from '../../src/users/standing.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { PersonWithPassword } from '../support/world.js';

const IN_A_DAY = new Date(Date.now() + 86_400_000);

describe('the standing of an account', () => {
  const app = useApp();
  const { world } = app;
  let person: PersonWithPassword;
  let actionId: ObjectId;

  const restrict = async (level: Standing['level'], until: Date | null = null) => {
    const standing = { level, until, actionId };
    await app.app.get(MongoService).transaction((tx) => app.app.get(StandingsService).set(person._id, standing, tx));
  };
  const lift = () =>
    app.app.get(MongoService).transaction((tx) => app.app.get(StandingsService).set(person._id, null, tx));
  const signIn = () =>
    app.client.post('/v1/auth/login', { body: { login: person.username, password: person.password } });
  const createPost = (token: string) =>
    app.client.post('/v1/posts', { token, body: { title: 'Notes', content: 'It weaves.', type: 'article' } });

  beforeEach(async () => {
    person = await world.person({ overHttp: true });
    actionId = new ObjectId();
  });

  it('suspended: signs in again, reads, and writes nothing until the end', async () => {
    await restrict('suspended', IN_A_DAY);
    expectProblem(await app.client.get('/v1/auth/me', { token: person.token }), 401, 'invalid_token');
    const { status, body } = await signIn();
    expect(status).toBe(200);
    const standing = { level: 'suspended', until: IN_A_DAY.toISOString(), actionId: actionId.toHexString() };
    expect(body.user.standing).toEqual(standing);
    const { accessToken: token, refreshToken } = body;
    expect((await app.client.get('/v1/auth/me', { token })).body.standing).toEqual(standing);
    const refused = await createPost(token);
    expectProblem(refused, 403, 'account_suspended');
    expect(refused.body.detail).toContain(IN_A_DAY.toISOString());
    await lift();
    const refreshed = (await app.client.post('/v1/auth/refresh', { body: { refreshToken } })).body;
    expect(refreshed.user.standing).toBeNull();
    expect((await createPost(refreshed.accessToken)).status).toBe(201);
  });

  it('suspended: writes again after the end, with the same token', async () => {
    await restrict('suspended', new Date(Date.now() + 1_000));
    const { accessToken: token } = (await signIn()).body;
    let answer = await createPost(token);
    while (answer.status === 403) answer = await createPost(token);
    expect(answer.status).toBe(201);
  });

  it('suspended: withdraws what it has published, and still settles what concerns itself', async () => {
    const post = await world.post({ by: person });
    const other = await world.post({ by: await world.person() });
    const { id: draftId } = (
      await app.client.post('/v1/drafts', { token: person.token, body: { title: 'A', type: 'article', content: 'B' } })
    ).body;
    await app.client.put(`/v1/drafts/${draftId}/schedule`, { token: person.token, body: { publishAt: IN_A_DAY } });
    const comment = await world.comment({ by: person, on: other.id });
    await restrict('suspended', IN_A_DAY);
    const { accessToken: token } = (await signIn()).body;
    const statusOf = async (method: string, path: string, body?: object) =>
      (await app.client.request(method, `/v1/${path}`, { token, body })).status;

    expect([
      await statusOf('DELETE', `drafts/${draftId}/schedule`),
      await statusOf('PATCH', `posts/${post.id}`, { isPublic: false }),
      await statusOf('DELETE', `comments/${comment.id}`),
      await statusOf('DELETE', `posts/${post.id}`),
      await statusOf('PATCH', 'users/me', { bio: '', links: [] }),
      await statusOf('PATCH', 'notifications/settings', { digest: 'off' }),
      await statusOf('PUT', 'notifications/read', {}),
      await statusOf('POST', 'notifications/stream-ticket'),
    ]).toEqual([200, 200, 204, 204, 200, 200, 200, 201]);
    expect(await statusOf('PATCH', 'users/me', { bio: 'Buy this.' })).toBe(403);
  });

  it('suspended: loses its API tokens, and a new one writes nothing', async () => {
    const old = await world.apiToken({ by: person, scopes: ['read', 'posts'] });
    await restrict('suspended');
    expectProblem(await app.client.get('/v1/posts/mine', { token: old.token }), 401, 'invalid_token');
    const { accessToken } = (await signIn()).body;
    const { token } = await world.apiToken({ by: { ...person, token: accessToken }, scopes: ['read', 'posts'] });
    expect((await app.client.get('/v1/posts/mine', { token })).status).toBe(200);
    expectProblem(await createPost(token), 403, 'account_suspended');
  });

  it('banned: loses its sessions and cannot sign in until the end', async () => {
    await restrict('banned', IN_A_DAY);
    expectProblem(await app.client.get('/v1/auth/me', { token: person.token }), 401, 'invalid_token');
    const { refreshToken } = person;
    expectProblem(await app.client.post('/v1/auth/refresh', { body: { refreshToken } }), 401, 'invalid_refresh_token');
    const refused = await signIn();
    expectProblem(refused, 403, 'account_banned');
    expect(refused.body.detail).toContain(IN_A_DAY.toISOString());
    const wrong = { login: person.username, password: 'not the password' };
    expectProblem(await app.client.post('/v1/auth/login', { body: wrong }), 401, 'invalid_credentials');
    await restrict('banned', new Date(Date.now() - 1));
    expect((await signIn()).status).toBe(200);
  });

  it('is shown to moderators, who can list restricted accounts', async () => {
    const moderator = await world.person({ role: 'moderator' });
    const { token } = moderator;
    const other = await world.person();
    await restrict('suspended', IN_A_DAY);
    const account = (await app.client.get(`/v1/admin/users/${person.id}`, { token })).body;
    expect(account.standing).toMatchObject({ level: 'suspended', until: IN_A_DAY.toISOString() });
    expect((await app.client.get(`/v1/admin/users/${other.id}`, { token })).body.standing).toBeNull();
    const list = (await app.client.get('/v1/admin/users?standing=suspended', { token })).body.data;
    const ids = list.map(({ id }: { id: string }) => id);
    expect([ids.includes(person.id), ids.includes(other.id)]).toEqual([true, false]);
    for (const query of ['q=a', 'role=admin', 'sort=username'])
      expectProblem(await app.client.get(`/v1/admin/users?standing=banned&${query}`, { token }), 400, 'invalid_input');
  });
});
