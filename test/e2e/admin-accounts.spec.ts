import { describeApi } from '../../src/api-document.js';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { operationsOf } from '../support/openapi.js';
import { expectProblem } from '../support/problem.js';
import { AnswerCheck } from '../support/response-check.js';
import type { Person, PersonWithPassword } from '../support/world.js';

const app = useApp();
const { world } = app;
const document = await describeApi();
const check = new AnswerCheck(document);
let moderator: Person;
let admin: PersonWithPassword;

beforeAll(async () => {
  moderator = await world.person({ role: 'moderator', username: 'moderator_ada' });
  admin = await world.person({ overHttp: true, role: 'admin' });
});

const get = (path: string, { token }: Pick<Person, 'token'>) => app.client.get(`/v1/admin/${path}`, { token });
const changeRole = (by: Pick<Person, 'token'>, { id }: Pick<Person, 'id'>, role: string, password = TEST_PASSWORD) =>
  app.client.put(`/v1/admin/users/${id}/role`, { token: by.token, body: { role, password } });
const log = async (targetId: string) => (await get(`log?targetId=${targetId}`, moderator)).body.data;
const roleOf = async ({ username }: Person) => (await app.client.get(`/v1/users/${username}`)).body.role;

describe('the accounts of the site', () => {
  it('are listed by the beginning of their names, and by their role', async () => {
    const names = ['walrus_b', 'walrus_a', 'walrus_c', 'walru_d'];
    for (const username of names) await world.person({ username });
    await world.person({ username: 'walrus_mod', role: 'moderator' });
    const namesOf = async (query: string) =>
      (await get(`users?${query}`, moderator)).body.data.map(({ username }: { username: string }) => username);
    expect(await namesOf('q=Walrus_')).toEqual(['walrus_a', 'walrus_b', 'walrus_c', 'walrus_mod']);
    expect(await namesOf('q=walrus_&role=user')).toEqual(['walrus_a', 'walrus_b', 'walrus_c']);
    expect(await namesOf('role=moderator')).toEqual(['walrus_mod', 'moderator_ada']);
    expect(await namesOf('role=moderator&sort=oldest')).toEqual(['moderator_ada', 'walrus_mod']);
    // The id of an account that registered in the same second may be greater, because a bundle makes its own ids.
    const newest = (await namesOf('')).filter((name: string) => name.startsWith('walru'));
    expect(newest.slice(0, 3)).toEqual(['walrus_mod', 'walru_d', 'walrus_c']);
    expectProblem(await get('users?q=wal&sort=newest', moderator), 400, 'invalid_input');
  });

  it('show their address to admins on request, which is in the log', async () => {
    const person = await world.person({ overHttp: true });
    const operation = operationsOf(document).find(({ id }) => id === 'getAccount')!;

    const forModerator = await get(`users/${person.id}`, moderator);
    const unasked = await get(`users/${person.id}`, admin);
    expect([unasked.body.email, await log(person.id)]).toEqual([null, []]);
    expectProblem(await get(`users/${person.id}?email=true`, moderator), 403, 'forbidden');
    const forAdmin = await get(`users/${person.id}?email=true`, admin);
    const own = await get(`users/${admin.id}?email=true`, admin);

    expect([forModerator.body.email, forAdmin.body.email, own.body.email]).toEqual([null, person.email, admin.email]);
    for (const answer of [forModerator, forAdmin]) expect(check.faults(operation, answer)).toEqual([]);
    expect(forModerator.body).toMatchObject({ id: person.id, isEmailVerified: false, previousUsernames: [] });
    expect(await log(person.id)).toMatchObject([{ kind: 'read_email', actorId: admin.id, ownerId: null }]);
    expect(await log(admin.id)).toEqual([]);
    const page = await get(`users?q=${person.username}`, admin);
    expect([page.body.data.length, JSON.stringify(page.body).includes(person.email)]).toEqual([1, false]);
  });

  it('are not found once they are deleted', async () => {
    const person = await world.person({ overHttp: true });
    await app.client.delete('/v1/users/me', { token: person.token, body: { password: person.password } });
    expectProblem(await get(`users/${person.id}`, moderator), 404, 'user_not_found');
    expect((await get(`users?q=${person.username}`, moderator)).body.data).toEqual([]);
    expectProblem(await changeRole(admin, person, 'moderator'), 404, 'user_not_found');
  });
});

describe('a role', () => {
  it('needs the password of the admin', async () => {
    const person = await world.person();
    const wrong = await changeRole(admin, person, 'moderator', 'wrong password');
    expectProblem(wrong, 401, 'invalid_credentials');
    expect(wrong.body.errors[0].field).toBe('password');
    expect([await roleOf(person), await log(person.id)]).toEqual(['user', []]);
  });

  it('is in the next access token, and a lower one ends every session', async () => {
    const person = await world.person({ overHttp: true });
    const refresh = (refreshToken: string) => app.client.post('/v1/auth/refresh', { body: { refreshToken } });
    expect((await changeRole(admin, person, 'moderator')).status).toBe(204);
    const renewed = await refresh(person.refreshToken);
    expect((await get('log', { token: renewed.body.accessToken })).status).toBe(200);

    expect((await changeRole(admin, person, 'user')).status).toBe(204);
    expect((await changeRole(admin, person, 'user')).status).toBe(204);

    expectProblem(await get('log', { token: renewed.body.accessToken }), 401, 'invalid_token');
    expectProblem(await refresh(renewed.body.refreshToken), 401, 'invalid_refresh_token');
    expect(await log(person.id)).toMatchObject([
      { kind: 'set_role', actorId: admin.id, actorRole: 'admin', detail: 'moderator -> user' },
      { kind: 'set_role', actorId: admin.id, actorRole: 'admin', detail: 'user -> moderator' },
    ]);
  });

  it('of the last admin stays', async () => {
    expectProblem(await changeRole(admin, admin, 'user'), 409, 'last_admin');
    // This admin cannot sign in.
    await world.person({ role: 'admin' });
    expectProblem(await changeRole(admin, admin, 'moderator'), 409, 'last_admin');
    const deletion = await app.client.delete('/v1/users/me', {
      token: admin.token,
      body: { password: admin.password },
    });
    expectProblem(deletion, 409, 'last_admin');
    expect(await roleOf(admin)).toBe('admin');
  });

  it.each([
    ['each other', 403, 'forbidden'],
    ['themselves', 409, 'last_admin'],
  ] as const)('stays with one of two admins who take it from %s at once', async (whose, status, code) => {
    const { db } = app;
    await db.collection('users').updateMany({ role: 'admin' }, { $set: { role: 'user' } });
    for (let round = 0; round < 3; round++) {
      const [one, other] = [
        await world.person({ overHttp: true, role: 'admin' }),
        await world.person({ overHttp: true, role: 'admin' }),
      ];
      const targets = whose === 'themselves' ? [one, other] : [other, one];

      const results = await Promise.all([changeRole(one, targets[0]!, 'user'), changeRole(other, targets[1]!, 'user')]);

      const refused = results.find((answer) => answer.status !== 204)!;
      expect(results.filter((answer) => answer.status === 204)).toHaveLength(1);
      expectProblem(refused, status, code);
      expect(await db.collection('users').countDocuments({ role: 'admin' })).toBe(1);
      await db.collection('users').updateMany({ role: 'admin' }, { $set: { role: 'user' } });
    }
  });
});
