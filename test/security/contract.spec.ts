import type { OpenAPIObject } from '@nestjs/swagger';
import { ActivityProcessor } from '../../src/activity/activity-processor.service.js';
import { describeApi } from '../../src/api-document.js';
import { EXAMPLE } from '../../src/common/examples.js';
import type { CollectionDto } from '../../src/collections/collection.dto.js';
import { indexAll, useApp } from '../support/app.js';
import { AnswerCheck } from '../support/response-check.js';
import { askedAgain, isUnavailable } from '../support/repeated-requests.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import { RawClient } from '../support/raw-request.js';
import type { PersonWithPassword } from '../support/world.js';
import { type HostileCase, hostileCases } from './hostile.js';
import { validRequest } from './valid-request.js';
import { makeSubject, subjectOf } from './subjects.js';

const document: OpenAPIObject = await describeApi();
const operations = operationsOf(document);

const LIKE = { value: 'like' };

/** Every route and parameter of the document with every kind of wrong request: refused with a message, and nothing written. */
describe('a wrong request', () => {
  const app = useApp({ search: true });
  const { world } = app;
  const check = new AnswerCheck(document);
  let raw: RawClient;
  let owner: PersonWithPassword;

  beforeAll(async () => {
    // of a role for which every route reads the request
    owner = await world.person({ overHttp: true, role: 'admin' });
    // events expire after a minute, which may be in the middle of a test
    await app.db.collection('events').dropIndex('expiresAt_1');
    await indexAll(app);
    raw = new RawClient(app.url);
  });
  afterAll(() => raw.agent.destroy());

  it.each(operations)(
    '$name is refused with a problem that names it, and writes nothing',
    async (operation) => {
      const target = await makeSubject(app, subjectOf(operation.path), owner);
      const context = { target, username: owner.username, refreshToken: owner.refreshToken };
      const valid = validRequest(document, operation, context);
      const before = await contentOf();
      const faults: string[] = [];
      for (const hostile of hostileCases(document, operation, valid)) {
        const fault = await faultsOf(operation, hostile);
        if (fault.length > 0) faults.push(`${hostile.title}: ${fault.join('; ')}`);
      }
      expect(faults).toEqual([]);
      expect(await contentOf()).toEqual(before);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
    180_000,
  );

  async function faultsOf(
    operation: Operation,
    { title: _, statuses, names, ...request }: HostileCase,
  ): Promise<string[]> {
    const headers = { ...request.headers, authorization: `Bearer ${owner.token}` };
    const answer = await askedAgain(() => raw.send({ ...request, headers }), isUnavailable);
    const faults = statuses.includes(answer.status) ? check.faults(operation, answer) : [`answered ${answer.status}`];
    if (faults.length > 0) return [...faults, JSON.stringify(answer.body).slice(0, 300)];
    if (answer.headers.get('set-cookie') !== null) faults.push('a header was injected');
    if (names === undefined) return faults;
    const fields: string[] = (answer.body.errors ?? []).map((error: { field: string }) => error.field);
    const isNamed = fields.some((field) => field === names || field.startsWith(`${names}.`));
    return isNamed ? faults : [`does not name ${names}: ${JSON.stringify(answer.body)}`];
  }

  /** Hashes everything stored, except rows that the host writes on its own (process sessions, heartbeats) or with a read. */
  async function contentOf(): Promise<Record<string, unknown>> {
    const { collections } = await app.db.command({ dbHash: 1 });
    const events = await app.db
      .collection('events')
      .find({ topic: { $nin: ['host.seen', 'stream.heartbeat'] } })
      .toArray();
    return { ...collections, process_sessions: 'not compared', post_html: 'not compared', events };
  }

  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));

  it.each(lists)('$name refuses the cursors of all other lists', async (operation) => {
    const person = await world.person({ overHttp: true, role: 'admin' });
    const posts = await Promise.all([
      world.post({ by: person }),
      world.post({ by: person }),
      world.post({ by: person }),
    ]);
    const collection = await fillLists(person, [posts[0].id, posts[1].id]);
    await indexAll(app);
    const comment = (await app.client.get(`/v1/posts/${posts[0].id}/comments`)).body.data[1];
    const draftId = await fillVersions(person, posts[0].id);
    const ids = {
      ...{ id: posts[0].id, idOrSlug: posts[0].slug, postId: posts[0].id },
      ...{ collectionId: collection.id, collectionSlug: collection.slug },
      ...{
        draftId,
        notificationId: EXAMPLE.notificationId,
        draftKey: 'x'.repeat(43),
        version: '1',
        provider: 'unknown',
      },
      ...(await app.world.picture(person)),
    };
    const context = {
      target: { ...ids, username: person.username, commentId: comment.id },
      username: person.username,
      refreshToken: '',
    };
    const pathOf = (list: Operation, rest = ''): string => {
      const { path } = validRequest(document, list, context);
      const only = list.id === 'searchAll' ? '&kind=posts' : '';
      return `${path}${path.includes('?') ? '&' : '?'}limit=1${only}${rest}`;
    };
    const answered: Record<string, number> = {};
    for (const list of lists) {
      const { body } = await app.patient.get(pathOf(list), { token: person.token });
      const cursor = body.page.nextCursor;
      expect([list.name, typeof cursor]).toEqual([list.name, 'string']);
      const answer = await app.patient.get(pathOf(operation, `&cursor=${cursor}`), { token: person.token });
      answered[list.name] = answer.status;
    }
    const expected = Object.fromEntries(lists.map((list) => [list.name, list === operation ? 200 : 400]));
    expect(answered).toEqual(expected);
  });

  /** Two drafts, and two earlier versions of one and of the post. */
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

  /** Two rows for every list of this account. */
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
      const post = await world.post({ by: other });
      await ok(client.put(`/v1/posts/${post.id}/lock`, { token: person.token }));
      await ok(client.put(`/v1/posts/${post.id}/save`, { token: person.token }));
      await ok(client.put(`/v1/posts/${post.id}/vote`, { token: person.token, body: LIKE }));
      await ok(client.put(`/v1/posts/${postId}/vote`, { token: other.token, body: LIKE }));
      const collection = await world.collection({ by: other });
      await ok(client.put(`/v1/collections/${collection.id}/follow`, { token: person.token }));
    }
    for (let n = 0; n < 2; n++) {
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
    await app.app.get(ActivityProcessor).drain(AbortSignal.timeout(60_000));
    await app.world.picture(person);
    await world.collection({ by: person });
    return world.collection({ by: person, posts: postIds });
  }
});
