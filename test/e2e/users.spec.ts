import { ObjectId } from 'mongodb';
import { UsersService } from '../../src/users/users.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useApp } from '../support/app.js';
import { type TestAccount } from '../support/accounts.js';
import { createClient } from '../support/client.js';
import { expectProblem } from '../support/problem.js';

const app = useApp();
const { world } = app;

describe('profiles', () => {
  const patch = (account: TestAccount, body: unknown) =>
    app.client.patch('/v1/users/me', { body, token: account.token });
  const profile = (username: string) => app.client.get(`/v1/users/${username}`);
  const tasks = (account: TestAccount) =>
    app.db.collection('tasks').countDocuments({ topic: 'author.changed', payload: new ObjectId(account.id) });

  it('shows public fields and never the e-mail address', async () => {
    const account = await world.person({ overHttp: true, fullName: 'Ada Lovelace' });
    const answer = await profile(account.username);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: account.id,
      username: account.username,
      fullName: 'Ada Lovelace',
      bio: '',
      profilePicture: null,
      role: 'user',
      stats: { followersCount: 0, followingCount: 0, postsCount: 0, likesReceivedCount: 0 },
      featuredPostIds: [],
      headline: '',
      location: '',
      interests: [],
      links: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    const everything = [
      answer,
      await app.client.get(`/v1/users?ids=${account.id}`),
      await app.client.get('/v1/users/top'),
    ];
    for (const { body } of everything) expect(JSON.stringify(body)).not.toContain('@');
  });

  it.each(['nobody_here', 'a', 'x'.repeat(40), '$where', '..%2fposts'])('answers 404 for %s', async (name) => {
    const answer = await profile(name);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, expect.stringMatching(/problem\+json/)]);
  });

  it('responds with 404 for %00, which a proxy refuses before', async () => {
    expect((await createClient(app.ownUrl).get('/v1/users/%00')).status).toBe(404);
    const { status, headers } = await profile('%00');
    expect([[400, 404].includes(status), headers.get('content-type')]).toEqual([
      ...[true, expect.stringMatching(/problem\+json/)],
    ]);
  });

  it('shows an account that was requested before it existed, under its first name and under a new one', async () => {
    const [first, second] = ['not_yet_here', 'not_yet_named'];
    const pathsOf = (name: string) => [
      `/v1/users/${name}`,
      `/v1/users/${name}/posts`,
      `/v1/users/${name}/featured`,
      `/v1/users/${name}/followers`,
      `/v1/feed?author=${name}`,
    ];
    const statuses = (name: string) =>
      Promise.all(pathsOf(name).map(async (path) => (await app.client.get(path)).status));
    expect(await statuses(first)).toEqual(Array(5).fill(404));
    const account = await world.person({ overHttp: true, username: first });
    expect(await statuses(first)).toEqual(Array(5).fill(200));
    expect(await statuses(second)).toEqual(Array(5).fill(404));
    expect((await patch(account, { username: second })).status).toBe(200);
    expect(await statuses(second)).toEqual(Array(5).fill(200));
  });

  it('changes only the given fields, and shows the change at once although profiles are cached', async () => {
    const account = await world.person({ overHttp: true, fullName: 'Before' });
    expect((await profile(account.username)).body.fullName).toBe('Before');
    const answer = await patch(account, {
      fullName: 'After',
      bio: ' line one\r\nline two ',
      profilePicture: 'https://images.example.org/a.jpg?size=200',
      settings: { language: 'pt-BR' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      username: account.username,
      fullName: 'After',
      bio: 'line one\nline two',
      profilePicture: 'https://images.example.org/a.jpg?size=200',
      settings: { language: 'pt-BR' },
    });
    expect((await profile(account.username)).body.fullName).toBe('After');
    expect((await patch(account, { profilePicture: null })).body).toMatchObject({
      profilePicture: null,
      fullName: 'After',
    });
  });

  it('shows the description of an account, in its profile only, until the account is deleted', async () => {
    const account = await world.person({ overHttp: true });
    const about = {
      headline: ' Reads looms like books ',
      location: 'London',
      interests: ['Weaving', 'weaving', 'Ελλάδα'],
      links: [{ title: 'Notebook', url: 'https://Example.org/notebook' }],
    };
    const kept = {
      headline: 'Reads looms like books',
      location: 'London',
      interests: ['weaving', 'ελλάδα'],
      links: [{ title: 'Notebook', url: 'https://example.org/notebook' }],
    };
    expect((await patch(account, about)).body).toMatchObject(kept);
    expect((await profile(account.username)).body).toMatchObject(kept);
    expect((await app.client.get('/v1/auth/me', { token: account.token })).body).toMatchObject(kept);
    const [listed] = (await app.client.get(`/v1/users?ids=${account.id}`)).body.data;
    expect(Object.keys(listed)).not.toContain('links');
    expect((await patch(account, { headline: '', links: [] })).body).toMatchObject({
      ...{ ...kept, headline: '', links: [] },
    });
    await patch(account, about);
    await app.client.delete('/v1/users/me', { token: account.token, body: { password: account.password } });
    const row = await app.db.collection('users').findOne({ _id: new ObjectId(account.id) });
    expect(row).toMatchObject({ headline: '', location: '', interests: [], links: [] });
  });

  it('refuses a change of a profile that changed since it was read', async () => {
    const account = await world.person({ overHttp: true });
    const { headers } = await app.client.get('/v1/auth/me', { token: account.token });
    const change = (bio: string, ifMatch: string) =>
      app.client.patch('/v1/users/me', { body: { bio }, token: account.token, headers: { 'if-match': ifMatch } });
    const both = await Promise.all([change('one', headers.get('etag')!), change('two', headers.get('etag')!)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const made = both.find(({ status }) => status === 200)!;
    expect(both.find(({ status }) => status === 412)!.body.code).toBe('precondition_failed');
    expect((await change('three', '"nonsense"')).status).toBe(412);
    expect((await change('three', made.headers.get('etag')!)).status).toBe(200);
    expect((await change('four', '*')).status).toBe(200);
  });

  it('updates the author of posts and comments only when a visible field has changed', async () => {
    const account = await world.person({ overHttp: true });
    const version = async () =>
      (await app.db.collection('users').findOne({ _id: new ObjectId(account.id) }))!.snapshotVersion as number;
    await patch(account, { bio: 'only here', settings: { language: 'de' } });
    await patch(account, {});
    await patch(account, { fullName: `Test ${account.username}` });
    expect([await tasks(account), await version()]).toEqual([0, 1]);
    await patch(account, { fullName: 'Somebody Else' });
    await patch(account, { profilePicture: 'https://images.example.org/b.png' });
    expect([await tasks(account), await version()]).toEqual([2, 3]);
  });

  it('redirects an earlier name, reserves it, and lets its owner use it again', async () => {
    const account = await world.person({ overHttp: true, username: 'first_name' });
    const other = await world.person({ overHttp: true });
    expect((await patch(account, { username: 'Second_Name' })).body.username).toBe('second_name');
    for (const name of ['first_name', 'second_name', 'FIRST_NAME'])
      expect((await profile(name)).body).toMatchObject({ id: account.id, username: 'second_name' });
    expect((await patch(other, { username: 'first_name' })).body.code).toBe('username_taken');
    expect((await patch(other, { username: 'second_name' })).body.code).toBe('username_taken');
    const body = { username: 'first_name', email: 'first@example.org', password: 'a password', fullName: 'First' };
    expect((await app.client.post('/v1/auth/register', { body })).body.code).toBe('username_taken');
    const login = { login: 'first_name', password: account.password };
    expect((await app.client.post('/v1/auth/login', { body: login })).status).toBe(200);
    expect((await patch(account, { username: 'first_name' })).status).toBe(200);
    expect((await profile('second_name')).body.username).toBe('first_name');
    const row = (await app.db.collection('users').findOne({ _id: new ObjectId(account.id) }))!;
    expect(row.previousUsernames).toEqual(['second_name']);
  });

  it('gives a contested name to one account, and never an earlier name to another, for concurrent changes', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => world.person({ overHttp: true })));
    const answers = await Promise.all(accounts.map((account) => patch(account, { username: 'wanted_by_all' })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    // One account gives up its name while the others request it.
    const [leaving, ...asking] = await Promise.all(Array.from({ length: 5 }, () => world.person({ overHttp: true })));
    const [left, ...refused] = await Promise.all([
      patch(leaving!, { username: 'has_left' }),
      ...asking.map((account) => patch(account, { username: leaving!.username })),
    ]);
    expect(left.status).toBe(200);
    for (const answer of refused) expectProblem(answer, 409, 'username_taken');
  });

  it('bounds the names one account can use up', async () => {
    const account = await world.person({ overHttp: true });
    for (let round = 0; round < 10; round++)
      expect((await patch(account, { username: `collector_${round}` })).status).toBe(200);
    expect((await patch(account, { username: 'collector_10' })).body.code).toBe('username_limit');
    expect((await patch(account, { username: 'collector_3' })).status).toBe(200);
  });

  it.each([
    ['a reserved name', { username: 'top' }, 'username'],
    ['a reserved name in other digits', { username: 'adm1n' }, 'username'],
    ['a name of the house', { username: 'support_team' }, 'username'],
    ['a line at the end of a name', { username: 'ada_l_' }, 'username'],
    ['nothing but lines for a name', { username: '____' }, 'username'],
    ['the house for a display name', { fullName: 'OpenCanvas Team' }, 'fullName'],
    ['the house in Cyrillic', { fullName: '\u0430dmin' }, 'fullName'],
    ['the name of ended accounts', { fullName: 'Deleted account' }, 'fullName'],
    ['a display name with a letter that cannot be seen', { fullName: 'a\u200bdmin' }, 'fullName'],
    ['null for a name', { username: null }, 'username'],
    ['an empty display name', { fullName: ' \u200b ' }, 'fullName'],
    ['a list for a display name', { fullName: ['Ada'] }, 'fullName'],
    ['501 characters of bio', { bio: 'x'.repeat(501) }, 'bio'],
    ['a NUL in the bio', { bio: 'a\u0000b' }, 'bio'],
    ['an http picture', { profilePicture: 'http://images.example.org/a.jpg' }, 'profilePicture'],
    ['a script for a picture', { profilePicture: 'javascript:alert(1)' }, 'profilePicture'],
    ['a picture with a line break', { profilePicture: 'https://a.exa\nmple/x' }, 'profilePicture'],
    ['a picture that turns the text', { profilePicture: 'https://a.example/\u202egpj' }, 'profilePicture'],
    ['a bio of 31 marks on one letter', { bio: `a${'\u0301\u0315'.repeat(16)}` }, 'bio'],
    ['a picture with credentials', { profilePicture: 'https://a:b@example.org/a.jpg' }, 'profilePicture'],
    ['a headline of two lines', { headline: 'one\ntwo' }, 'headline'],
    ['81 characters of headline', { headline: 'x'.repeat(81) }, 'headline'],
    ['null for a headline', { headline: null }, 'headline'],
    ['61 characters of location', { location: 'x'.repeat(61) }, 'location'],
    ['a location that turns the text', { location: 'Lon\u202edon' }, 'location'],
    ['nine interests', { interests: Array.from({ length: 9 }, (_, index) => `tag-${index}`) }, 'interests'],
    ['an interest that is no tag', { interests: ['a tag'] }, 'interests'],
    ['a text for interests', { interests: 'weaving' }, 'interests'],
    ['eleven links', { links: Array.from({ length: 11 }, () => ({ title: 'a', url: 'https://a.example/' })) }, 'links'],
    ['an http link', { links: [{ title: 'a', url: 'http://a.example/' }] }, 'links.0.url'],
    ['a script for a link', { links: [{ title: 'a', url: 'javascript:alert(1)' }] }, 'links.0.url'],
    ['a link without a title', { links: [{ url: 'https://a.example/' }] }, 'links.0.title'],
    ['a title that cannot be seen', { links: [{ title: '\u200b', url: 'https://a.example/' }] }, 'links.0.title'],
    ['an unknown field of a link', { links: [{ title: 'a', url: 'https://a.example/', rel: 'me' }] }, 'links.0.rel'],
    ['a list for a link', { links: [[]] }, 'links'],
    ['null for a link', { links: [null] }, 'links'],
    ['a text for links', { links: 'https://a.example/' }, 'links'],
    ['a language of its own', { settings: { language: '<b>' } }, 'settings.language'],
    ['an unknown setting', { settings: { theme: 'dark' } }, 'settings.theme'],
    ['null for settings', { settings: null }, 'settings'],
    ['a list for settings', { settings: [] }, 'settings'],
    ['its role', { role: 'admin' }, 'role'],
    ['its counters', { stats: { likesReceivedCount: 9 } }, 'stats'],
    ['a quotient', { likesPerPost: 9 }, 'likesPerPost'],
    ['an e-mail address', { email: 'x@example.org' }, 'email'],
    ['another account', { _id: '6650c3a2f1d2b3c4d5e6f708' }, '_id'],
    ['an end', { deletedAt: null }, 'deletedAt'],
  ])('refuses %s, names the field and writes nothing', async (_, body, field) => {
    const account = await world.person({ overHttp: true });
    const _id = new ObjectId(account.id);
    const before = await app.db.collection('users').findOne({ _id });
    const answer = await patch(account, body);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect(await app.db.collection('users').findOne({ _id })).toEqual(before);
  });

  it('needs a token to change a profile', async () => {
    expect((await app.client.patch('/v1/users/me', { body: { bio: 'x' } })).status).toBe(401);
  });
});

describe('many concurrent writes to one account', () => {
  it('are all applied, one after the other', async () => {
    const { token } = await app.world.person();
    const write = (turn: number) => app.patient.patch('/v1/users/me', { token, body: { bio: `version ${turn}` } });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, turn) => write(turn)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(100).fill(200));
  });
});

describe('GET /users?ids=', () => {
  it('returns accounts in the order of the ids, without missing ones, each once', async () => {
    const [a, b] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const unknown = new ObjectId().toHexString();
    const answer = await app.client.get(`/v1/users?ids=${b.id},${unknown},${a.id},${b.id}`);
    expect(answer.body.data.map((user: { id: string }) => user.id)).toEqual([b.id, a.id]);
  });

  it.each([
    ['no ids', ''],
    ['an empty list', '?ids='],
    ['a bad id', '?ids=6650c3a2f1d2b3c4d5e6f708,x'],
    ['101 ids', `?ids=${Array.from({ length: 101 }, () => new ObjectId().toHexString()).join(',')}`],
    ['an operator', '?ids[$ne]=1'],
    ['an unknown parameter', '?ids=6650c3a2f1d2b3c4d5e6f708&all=true'],
  ])('refuses %s', async (_, query) => {
    const answer = await app.client.get(`/v1/users${query}`);
    expectProblem(answer, 400, 'invalid_input');
  });

  it('accepts 100', async () => {
    const ids = Array.from({ length: 100 }, () => new ObjectId().toHexString()).join(',');
    expect((await app.client.get(`/v1/users?ids=${ids}`)).status).toBe(200);
  });
});

describe('GET /users/top', () => {
  it('lists the writers with the most likes per post, five by default, from the cache the second time', async () => {
    const accounts = await Promise.all(Array.from({ length: 7 }, () => world.person({ overHttp: true })));
    const changes = new Map(accounts.map(({ id }, index) => [id, { postsCount: 2, likesReceivedCount: index }]));
    await app.app.get(MongoService).transaction((tx) => app.app.get(UsersService).applyStats(changes, tx));
    const top = await app.client.get('/v1/users/top');
    expect(top.body.data.map((user: { likesPerPost: number }) => user.likesPerPost)).toEqual([3, 2.5, 2, 1.5, 1]);
    expect(top.body.data[0]).toMatchObject({ id: accounts[6]!.id, stats: { postsCount: 2, likesReceivedCount: 6 } });
    const again = await app.client.get('/v1/users/top?limit=5');
    expect(again.headers.get('x-cache')).toBe('HIT');
    expect(again.headers.get('etag')).toBe(top.headers.get('etag'));
    expect((await app.client.get('/v1/users/top?limit=2')).body.data).toHaveLength(2);
    // A deleted account disappears from the list immediately, although the list is cached for minutes.
    const body = { password: accounts[6]!.password };
    await app.client.delete('/v1/users/me', { body, token: accounts[6]!.token });
    expect((await app.client.get('/v1/users/top')).body.data[0].id).toBe(accounts[5]!.id);
  });

  it.each(['0', '-1', '101', '1.5', 'x', '', '05'])('refuses the limit %j', async (limit) => {
    const answer = await app.client.get(`/v1/users/top?limit=${limit}`);
    expectProblem(answer, 400, 'invalid_input');
  });
});
