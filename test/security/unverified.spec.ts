import { ObjectId } from 'mongodb';
import { describeApi } from '../../src/api-document.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { useApp } from '../support/app.js';
import { AnswerCheck } from '../support/response-check.js';
import { operationsOf } from '../support/openapi.js';
import type { PersonWithPassword } from '../support/world.js';
import { validRequest } from './valid-request.js';
import { makeSubject } from './subjects.js';

const document = await describeApi();
const operations = operationsOf(document);
const check = new AnswerCheck(document);

const HELD = [403, 'email_not_verified'];

describe('an unverified account, when every write needs a verified address', () => {
  const app = useApp({ env: { AUTH_REQUIRE_VERIFIED_EMAIL: 'write' } });
  const { world } = app;

  it('reads, changes itself, removes, and is refused every other write', async () => {
    const [owner, other] = [
      await world.person({ overHttp: true, role: 'user' }),
      // Every route allows an admin.
      await world.person({ overHttp: true, role: 'admin' }),
    ];
    const refused: string[] = [];
    for (const operation of operations.filter(({ access }) => access !== 'public')) {
      const person = operation.id === 'deleteAccount' ? await world.person({ overHttp: true, role: 'user' }) : other;
      const target = await makeSubject(app, '-', owner);
      const context = { target, username: owner.username, refreshToken: '' };
      const { path, ...request } = validRequest(document, operation, context);
      const answer = await app.client.request(operation.method, path, { token: person.token, ...request });
      if (answer.body.code !== 'email_not_verified') continue;
      expect([operation.id, answer.status, check.faults(operation, answer)]).toEqual([operation.id, 403, []]);
      refused.push(operation.id);
    }
    const writes = operations.filter(({ access, method }) => access === 'required' && method !== 'GET');
    // An account may always change itself, and remove its own things: see access.spec.ts.
    const ofOthers = writes.filter(({ forRestricted }) => forRestricted === undefined || forRestricted === 'emptying');
    expect(refused).toEqual(ofOthers.map(({ id }) => id));
  });

  it('writes as soon as the address was verified, with the tokens that it has', async () => {
    const account = await world.person({ overHttp: true, role: 'user' });
    const post = { title: 'Notes', content: 'The engine weaves patterns.', type: 'article' };
    const createPost = (token: string) => app.client.post('/v1/posts', { token, body: post });
    const before = await createPost(account.token);
    await app.db.collection('credentials').updateOne({ _id: account._id }, { $set: { emailVerifiedAt: new Date() } });
    expect([before.status, (await createPost(account.token)).status]).toEqual([403, 201]);
  });
});

describe('an unverified account, when publishing needs a verified address', () => {
  const app = useApp({ env: { AUTH_REQUIRE_VERIFIED_EMAIL: 'publish' } });
  const { world } = app;

  it.each([
    ['a post', 'POST', {}, true],
    ['a post that says so', 'POST', { isPublic: true }, true],
    ['a draft', 'POST', { isPublic: false }, false],
    ['a private post', 'POST', { visibility: 'private' }, false],
    ['an unlisted post', 'POST', { visibility: 'unlisted', isPublic: false }, true],
    ['a draft of an odd spelling', 'POST', { isPublic: 'false' }, true],
    ['a hidden post', 'PATCH', { isPublic: true }, true],
    ['an edit', 'PATCH', { title: 'Notes, again' }, false],
    ['an edit that hides', 'PATCH', { isPublic: false }, false],
    ['an edit that makes it unlisted', 'PATCH', { visibility: 'unlisted' }, true],
  ])('publishes nothing: %s', async (_, method, fields, isHeld) => {
    const person = await world.person({ overHttp: true, role: 'user' });
    const path = method === 'POST' ? '/v1/posts' : `/v1/posts/${(await writeDraft(person)).id}`;
    const post = { title: 'Notes', content: 'The engine weaves patterns.', type: 'article' };
    const body = method === 'POST' ? { ...post, ...fields } : fields;
    const { status, body: answer } = await app.client.request(method, path, { token: person.token, body });
    if (isHeld) expect([status, answer.code]).toEqual(HELD);
    else expect([200, 201]).toContain(status);
    const { accessToken } = app.app.get(AccessTokenService).issue({ ...person.viewer, isEmailVerified: true });
    const verified = await app.client.request(method, path, { token: accessToken, body });
    expect(verified.body.code).not.toBe('email_not_verified');
  });

  it('publishes no draft, now or scheduled, for any body', async () => {
    const { token } = await world.person({ overHttp: true, role: 'user' });
    const id = new ObjectId().toHexString();
    const body = { publishAt: new Date(Date.now() + 3_600_000).toISOString() };
    const answers = [
      await app.client.post(`/v1/drafts/${id}/publish`, { token }),
      await app.client.post(`/v1/drafts/${id}/publish`, { token, body: { isPublic: false } }),
      await app.client.put(`/v1/drafts/${id}/schedule`, { token, body }),
      await app.client.post(`/v1/drafts/${id}/restore`, { token }),
    ];
    expect(answers.map(({ status, body: { code } }) => [status, code])).toEqual([HELD, HELD, HELD, HELD]);
  });

  it('comments, follows and saves', async () => {
    const [person, other] = [
      await world.person({ overHttp: true, role: 'user' }),
      await world.person({ overHttp: true, role: 'user' }),
    ];
    const { id } = await world.post({ by: other });
    const { token } = person;
    const answers = [
      await app.client.post(`/v1/posts/${id}/comments`, { token, body: { content: 'So it is.' } }),
      await app.client.put(`/v1/users/${other.username}/follow`, { token }),
      await app.client.put(`/v1/posts/${id}/save`, { token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
  });

  const writeDraft = (person: PersonWithPassword) => world.post({ by: person, isPublic: false });
});
