import sharp from 'sharp';
import { describeApi } from '../../src/api-document.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { MediaAuditService } from '../../src/media/media-audit.service.js';
import { NO_SERVER } from '../../src/platform/http/openapi/response-schemas.js';
import { indexAll, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { AnswerCheck } from '../support/response-check.js';
import { addressOf, operationsOf } from '../support/openapi.js';

const document = await describeApi();
const reads = operationsOf(document).filter(({ method }) => method === 'GET');

/** The demo account that has the role of an operation. */
const CALLERS = { user: EXAMPLE.username, moderator: 'demo_moderator', admin: 'demo_admin' };

describe('the examples of the document, on the demo data, as the demo writer or the role that the document names', () => {
  const app = useApp({
    direct: 'nginx weakens the ETags of compressed responses, and does not expose /metrics',
    seeded: 'tiny',
    search: true,
    env: { HTTP_PUBLIC_URL: NO_SERVER, MODERATION_LOG: 'public' },
  });
  const check = new AnswerCheck(document);
  let token: string;
  let adminToken: string;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    await indexAll(app);
    const body = exampleBody('login');
    expect(body.login).toBe(EXAMPLE.username);
    for (const [role, login] of Object.entries(CALLERS)) {
      const answer = await app.patient.post('/v1/auth/login', { body: { ...body, login } });
      expect([answer.status, answer.body.user?.username]).toEqual([200, login]);
      tokens[role] = answer.body.accessToken;
    }
    [token, adminToken] = [tokens.user!, tokens.admin!];
  });

  const works = reads.filter(({ exampleNeeds }) => exampleNeeds === undefined);

  it.each(works)('$name: responds 2xx as declared', async (operation) => {
    // A feed responds with 503 while its texts are being rendered.
    const answer = await app.patient.get(addressOf(operation), { token: tokens[operation.role] });
    const refusals = answer.status < 300 ? [] : [`${answer.status} ${JSON.stringify(answer.body)}`];
    expect([...refusals, ...check.faults(operation, answer)]).toEqual([]);
  });

  it.each(reads.filter(({ exampleNeeds }) => exampleNeeds !== undefined))(
    '$name: does not respond 2xx without $exampleNeeds',
    async (operation) => {
      const answer = await app.client.get(addressOf(operation), { token });
      expect(answer.status).toBeGreaterThanOrEqual(300);
    },
  );

  it.each(reads.filter(({ role }) => role !== 'user'))('$name: is for the role that it names', async (operation) => {
    expectProblem(await app.client.get(addressOf(operation), { token }), 403, 'forbidden');
  });

  const lists = reads.filter(({ parameters }) =>
    parameters.some(({ in: place, schema }) => place === 'query' && schema.type === 'array'),
  );

  it.each(lists)('$name: accepts a list with commas and as a repeated parameter', async (operation) => {
    const { name, schema } = operation.parameters.find(({ schema: { type } }) => type === 'array')!;
    const values = schema.example as string[];
    const [joined, repeated] = [`${name}=${values.join(',')}`, values.map((value) => `${name}=${value}`).join('&')];
    const [one, other] = await Promise.all(
      [joined, repeated].map((query) => app.client.get(`${operation.path}?${query}`, { token })),
    );
    expect([one!.status, other!.status, other!.body]).toEqual([200, 200, one!.body]);
  });

  it.each(lists)('$name: names one failed rule of a wrong list', async ({ path, parameters }) => {
    const { name } = parameters.find(({ schema: { type } }) => type === 'array')!;
    const { status, body } = await app.client.get(`${path}?${name}=x,y`, { token });
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, [name]]);
  });

  const slugged = operationsOf(document).filter(({ path }) => /^\/v1\/(posts|collections)\/\{/.test(path));

  it('every route of a post or collection documents its slug as well as its id', () => {
    const pattern = slugged.find(({ id }) => id === 'getPost')!.parameters[0]!.schema.pattern;
    expect(slugged.length).toBeGreaterThan(30);
    expect(
      slugged.filter(({ parameters }) => parameters[0]!.schema.pattern !== pattern).map(({ name }) => name),
    ).toEqual([]);
  });

  it('PUT /v1/posts/{id}/vote: accepts a slug, and its comments are those of the id', async () => {
    const slug = `any-slug-${EXAMPLE.postId}`;
    const vote = await app.client.put(`/v1/posts/${slug}/vote`, { token, body: { value: 'like' } });
    expect([vote.status, vote.body.value]).toEqual([200, 'like']);
    const comments = await Promise.all([slug, EXAMPLE.postId].map((id) => app.client.get(`/v1/posts/${id}/comments`)));
    expect(comments.map(({ status, body }) => [status, body])).toEqual(
      [comments[1], comments[1]].map((one) => [200, one!.body]),
    );
    const written = await app.client.post(`/v1/posts/${slug}/comments`, { token, body: { content: 'Read.' } });
    const { body } = await app.client.get(`/v1/posts/${slug}/comments`);
    expect([written.status, body.data[0].id]).toEqual([201, written.body.id]);
  });

  it('POST of moderation: works with the examples of the document', async () => {
    const appeal = await app.client.post('/v1/appeals', { token, body: exampleBody('createAppeal') });
    const action = await app.client.post('/v1/moderation/actions', {
      token: adminToken,
      body: { ...exampleBody('createModerationAction'), targetIds: undefined, fields: undefined, postIds: undefined },
    });
    const decision = await app.client.post(`/v1/moderation/appeals/${EXAMPLE.appealedActionId}/decision`, {
      token: adminToken,
      body: exampleBody('decideAppeal'),
    });
    const { body } = await app.client.get('/v1/users/me/moderation', { token });

    expect([appeal.status, action.status, decision.status]).toEqual([201, 201, 204]);
    expect(action.body).toMatchObject({ kind: 'suspend', targetKind: 'user', caseId: `user-${EXAMPLE.userIds[1]}` });
    expect(body.data.map(({ kind, appeal: own }: any) => [kind, own?.state])).toEqual([
      ['accept_appeal', undefined],
      ['warn', 'open'],
      ['warn', 'accepted'],
    ]);
  });

  it('PATCH /v1/users/me: keeps the username with the example of the document', async () => {
    const { requestBody } = document.paths['/v1/users/me']!.patch as any;
    const body = requestBody.content['application/json'].examples.profile.value;
    const answer = await app.client.patch('/v1/users/me', { token, body });
    expect([answer.status, answer.body.username]).toEqual([200, EXAMPLE.username]);
  });

  it('GET /: names addresses that work, as do /v1 and /health', async () => {
    const { status, body } = await app.client.get('/');
    expect([status, body.posts]).toEqual([200, '/v1/feed']);
    const { name: _, ...addresses } = body as Record<string, string>;
    const answers = await Promise.all(
      [...Object.values(addresses), '/v1', '/health'].map((path) => app.client.get(path.replace(/q=$/, 'q=engine'))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  });

  it('GET /v1/feed: every image of the demo data is served', async () => {
    const { data } = (await app.client.get('/v1/feed?limit=50')).body;
    const images = data.flatMap(({ thumbnailUrl, thumbnail, author }: any) => [
      ...(thumbnailUrl === null ? [] : [thumbnailUrl]),
      ...(thumbnail === null ? [] : [thumbnail.url, ...thumbnail.variants.map(({ url }: any) => url)]),
      ...(author.profilePicture === null ? [] : [author.profilePicture]),
    ]);
    const addresses = [...new Set<string>(images)];
    expect(addresses.length).toBeGreaterThan(10);
    for (const address of addresses) {
      const file = await fetch(address.replace(NO_SERVER, app.url));
      const { width, format } = await sharp(Buffer.from(await file.arrayBuffer())).metadata();
      expect([file.status, file.headers.get('content-type')]).toEqual([200, `image/${format}`]);
      expect([160, 320, 640]).toContain(width);
    }
  });

  it('the media audit finds no faults in the demo data', async () => {
    const faults: string[] = [];
    await app.app.get(MediaAuditService).run((fault) => faults.push(fault), new AbortController().signal);
    expect(faults).toEqual([]);
  });

  it('GET /v1/feed/: is the feed', async () => {
    const [plain, slashed] = await Promise.all(['/v1/feed', '/v1/feed/'].map((path) => app.client.get(path)));
    expect([slashed!.status, slashed!.body]).toEqual([200, plain!.body]);
  });
});

function exampleBody(id: string): Record<string, unknown> {
  const { body } = operationsOf(document).find((operation) => operation.id === id)!;
  return Object.fromEntries(
    Object.entries(body!.properties as Record<string, any>).map(([name, { example }]) => [name, example]),
  );
}
