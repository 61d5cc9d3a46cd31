import type { OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../../src/api-document.js';
import type { CollectionDto } from '../../src/collections/collection.dto.js';
import { TagCountsJob } from '../../src/tags/tag-counts.job.js';
import { indexAll, useApp } from '../support/app.js';
import { AnswerCheck } from '../support/response-check.js';
import { askedAgain, isUnavailable } from '../support/repeated-requests.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import { RawClient } from '../support/raw-request.js';
import type { PersonWithPassword } from '../support/world.js';
import { type HostileCase, hostileCases, unreadableBodies } from './hostile.js';
import { WRITTEN_EVENTS } from '../support/written-events.js';
import { type ValidRequest, validRequest } from './valid-request.js';
import { makeSubject, makeWebhook, subjectOf, type Target } from './subjects.js';
import { drainActivity } from '../support/verbs.js';

const document: OpenAPIObject = await describeApi();
const operations = operationsOf(document);
const withBody = operations.filter(({ body }) => body !== undefined);
/** One operation of each method, because all methods have the same parser. */
const parsed = withBody.filter(({ method }, at) => withBody.findIndex((other) => other.method === method) === at);

const LIKE = { value: 'like' };

/** Sends every kind of wrong request to every route and parameter. The server refuses each with a message and writes nothing. */
describe('a wrong request', () => {
  const app = useApp({ search: true, env: { MODERATION_LOG: 'public' } });
  const { world } = app;
  const check = new AnswerCheck(document);
  let raw: RawClient;
  let owner: PersonWithPassword;

  beforeAll(async () => {
    // Every route reads the request of an admin.
    owner = await world.person({ overHttp: true, role: 'admin' });
    // Events expire after a minute, which may be in the middle of a test.
    await app.db.collection('events').dropIndex('expiresAt_1');
    await indexAll(app);
    raw = new RawClient(app.url);
  });
  afterAll(() => raw.agent.destroy());

  const tried = new Set<string>();

  it.each(operations)('$name is refused with a problem that names it, and writes nothing', async (operation) => {
    const valid = await validOf(operation);
    await expectRefused(operation, hostileCases(document, operation, valid, tried));
  });

  it.each(parsed)('$name is refused with a body that no operation can read', async (operation) => {
    const valid = await validOf(operation);
    await expectRefused(operation, unreadableBodies(operation, valid));
  });

  async function validOf(operation: Operation): Promise<ValidRequest> {
    const target = await makeSubject(app, subjectOf(operation.path), owner);
    const { username, refreshToken } = owner;
    return validRequest(document, operation, { target, username, refreshToken });
  }

  async function expectRefused(operation: Operation, cases: HostileCase[]): Promise<void> {
    const before = await contentOf();
    const faults: string[] = [];
    for (const hostile of cases) {
      const fault = await faultsOf(operation, hostile);
      if (fault.length > 0) faults.push(`${hostile.title}: ${fault.join('; ')}`);
    }
    expect(faults).toEqual([]);
    expect(await contentOf()).toEqual(before);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  }

  async function faultsOf(
    operation: Operation,
    { title: _, statuses, names, ...request }: HostileCase,
  ): Promise<string[]> {
    const headers = { ...request.headers, authorization: `Bearer ${owner.token}` };
    const answer = await askedAgain(() => raw.send({ ...request, headers }), isUnavailable);
    const faults = statuses.includes(answer.status) ? check.faults(operation, answer) : [`answered ${answer.status}`];
    if (faults.length > 0) return [...faults, JSON.stringify(answer.body).slice(0, 300)];
    if (answer.headers.get('set-cookie') !== null) faults.push('a header was injected');
    const fields: string[] = (answer.body.errors ?? []).map((error: { field: string }) => error.field);
    const isNamed = (name: string): boolean => fields.some((field) => field === name || field.startsWith(`${name}.`));
    const missing = names.filter((name) => !isNamed(name));
    return missing.length === 0 ? faults : [`does not name ${missing.join()}: ${JSON.stringify(answer.body)}`];
  }

  /** Hashes all stored data, except rows that the host writes on its own (process sessions, heartbeats) or with a read. */
  async function contentOf(): Promise<Record<string, unknown>> {
    const { collections } = await app.db.command({ dbHash: 1 });
    const events = await app.db.collection('events').find(WRITTEN_EVENTS).toArray();
    return { ...collections, process_sessions: 'not compared', post_html: 'not compared', events };
  }

  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));

  describe('a cursor', () => {
    let person: PersonWithPassword;
    let pathOf: (list: Operation, rest?: string) => string;
    const cursors = new Map<Operation, string>();

    beforeAll(async () => {
      person = await world.person({ overHttp: true, role: 'admin' });
      const target = await fillTarget(person);
      const context = { target, username: person.username, refreshToken: '' };
      pathOf = (list, rest = '') => {
        const { path } = validRequest(document, list, context);
        const only = list.id === 'searchAll' ? '&kind=posts' : '';
        return `${path}${path.includes('?') ? '&' : '?'}limit=1${only}${rest}`;
      };
      for (const list of lists) {
        const { body } = await app.patient.get(pathOf(list), { token: person.token });
        cursors.set(list, body.page.nextCursor);
      }
    });

    it.each(lists)('$name refuses the cursors of all other lists', async (operation) => {
      const answered: Record<string, number> = {};
      for (const [list, cursor] of cursors) {
        expect([list.name, typeof cursor]).toEqual([list.name, 'string']);
        const answer = await app.patient.get(pathOf(operation, `&cursor=${cursor}`), { token: person.token });
        answered[list.name] = answer.status;
      }
      const expected = Object.fromEntries(lists.map((list) => [list.name, list === operation ? 200 : 400]));
      expect(answered).toEqual(expected);
    });
  });

  /** Creates posts of the person with two rows for each of their lists. */
  async function fillTarget(person: PersonWithPassword): Promise<Target> {
    const posts = await Promise.all([
      world.post({ by: person, tags: ['math', 'maths'] }),
      world.post({ by: person }),
      world.post({ by: person }),
    ]);
    const collection = await fillLists(person, [posts[0].id, posts[1].id]);
    await indexAll(app);
    await app.app.get(TagCountsJob).run(new AbortController().signal);
    const comment = (await app.client.get(`/v1/posts/${posts[0].id}/comments`)).body.data[1];
    const draftId = await fillVersions(person, posts[0].id);
    return {
      ...(await makeSubject(app, '-', person)),
      ...{ id: posts[0].id, idOrSlug: posts[0].slug, postId: posts[0].id, commentId: comment.id, draftId },
      ...{ collectionId: collection.id, collectionSlug: collection.slug },
      ...(await app.world.picture(person)),
      ...(await makeWebhook(app, person)),
    };
  }

  /** Creates two drafts, and two earlier versions of one draft and of the post. */
  async function fillVersions({ token }: PersonWithPassword, postId: string): Promise<string> {
    const { client } = app;
    const headers = { 'if-match': '*' };
    await client.post('/v1/drafts', { token, body: {} });
    const { id } = (await client.post('/v1/drafts', { token, body: { title: 'A draft' } })).body;
    for (const title of ['Again', 'And again'])
      for (const path of [`/v1/drafts/${id}`, `/v1/posts/${postId}`])
        await client.patch(path, { token, body: { title }, headers });
    return id as string;
  }

  /** Creates two rows for every list of this account. */
  async function fillLists(person: PersonWithPassword, postIds: string[]): Promise<CollectionDto> {
    const postId = postIds[0]!;
    const { client } = app;
    const others = await Promise.all([
      world.person({ overHttp: true, role: 'user' }),
      world.person({ overHttp: true, role: 'user' }),
    ]);
    const ok = async (answer: Promise<{ status: number; body: any }>): Promise<any> => {
      const { status, body } = await answer;
      if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    };
    for (const other of others) {
      await ok(client.put(`/v1/users/${person.username}/follow`, { token: other.token }));
      await ok(client.put(`/v1/users/${other.username}/follow`, { token: person.token }));
      await world.post({ by: other });
      const post = await world.post({ by: other });
      await ok(client.put(`/v1/posts/${post.id}/save`, { token: person.token }));
      await ok(client.put(`/v1/posts/${post.id}/watch`, { token: person.token, body: { level: 'muted' } }));
      await ok(client.put(`/v1/users/${other.username}/bell`, { token: person.token }));
      await ok(client.put(`/v1/posts/${post.id}/vote`, { token: person.token, body: LIKE }));
      await ok(client.put(`/v1/posts/${postId}/vote`, { token: other.token, body: LIKE }));
      const collection = await world.collection({ by: other });
      await ok(client.put(`/v1/collections/${collection.id}/follow`, { token: person.token }));
    }
    for (let n = 0; n < 2; n++) {
      const stranger = await world.person();
      const { username } = stranger;
      const post = await world.post({ by: stranger });
      await world.report({ by: person, on: post.id });
      const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: person.id });
      await world.appeal({ by: person, actionId });
      await ok(client.put(`/v1/posts/${post.id}/hide`, { token: person.token }));
      await ok(client.put(`/v1/users/${username}/block`, { token: person.token }));
      await ok(client.put(`/v1/users/${username}/mute`, { token: person.token, body: {} }));
      await world.invite({ by: person });
      await world.signUpThatWaits();
    }
    const comment = await ok(
      client.post(`/v1/posts/${postId}/comments`, { token: person.token, body: { content: 'a' } }),
    );
    await ok(client.post(`/v1/posts/${postId}/comments`, { token: person.token, body: { content: 'b' } }));
    for (const other of others) {
      await ok(client.put(`/v1/comments/${comment.id}/vote`, { token: other.token, body: LIKE }));
    }
    for (const content of ['c', 'd']) {
      const body = { content, parentId: comment.id };
      await ok(client.post(`/v1/posts/${postId}/comments`, { token: person.token, body }));
    }
    await drainActivity(app);
    await app.world.picture(person);
    await world.collection({ by: person });
    return world.collection({ by: person, posts: postIds });
  }
});
