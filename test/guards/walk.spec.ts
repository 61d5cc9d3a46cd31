import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import type { PersonWithPassword } from '../support/world.js';

const SRC = new URL('../../src/', import.meta.url).href;
const ROUNDS = 4;
/** Longer than the period of each timer that a slow machine could run in all rounds. */
const IDLE_MS = 5_000;
/** Files of src that one warm request runs, and no timer: an engineer reads them to follow the request. Lower a number to see the list. */
const BUDGETS = {
  'GET /v1/feed, cached': 11,
  'GET /v1/feed': 46,
  'GET /v1/posts/:id/comments': 43,
  'PUT /v1/posts/:id/vote': 47,
  'PATCH /v1/drafts/:id': 49,
  'POST /v1/posts': 80,
  'POST /v1/auth/login': 51,
  'DELETE /v1/posts/:id': 50,
};

describe('the files of src that a request runs', () => {
  const app = useApp({ direct: 'what nginx answers runs no file' });
  const { world } = app;
  const session = new Session();
  let person: PersonWithPassword;
  /** files that timers run */
  let background: Set<string>;

  beforeAll(async () => {
    person = await world.person({ overHttp: true });
    await postsWith(20);
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await filesThatRan();
    await sleep(IDLE_MS);
    background = await filesThatRan();
  });
  afterAll(async () => {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  });

  const sent = (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
    app.client.request(method, path, { token: person.token, body, headers });

  it.each<[route: keyof typeof BUDGETS, prepare: () => Promise<(round: number) => Promise<Answer>>]>([
    ['GET /v1/feed, cached', async () => () => app.client.get('/v1/feed?limit=3')],
    ['GET /v1/feed', async () => (round) => app.client.get(`/v1/feed?limit=${10 + round}`)],
    [
      'GET /v1/posts/:id/comments',
      async () => {
        const posts = await postsWith(ROUNDS + 1, (post) => world.comment({ by: person, on: post.id }));
        return (round) => app.client.get(`/v1/posts/${posts[round]}/comments?limit=7`);
      },
    ],
    [
      'PUT /v1/posts/:id/vote',
      async () => {
        const [post] = await postsWith(1);
        return (round) => sent('PUT', `/v1/posts/${post}/vote`, { value: round % 2 === 0 ? 'like' : 'dislike' });
      },
    ],
    [
      'PATCH /v1/drafts/:id',
      async () => {
        const { body } = await sent('POST', '/v1/drafts', { title: 'A draft', content: 'text', type: 'article' });
        return (round) => sent('PATCH', `/v1/drafts/${body.id}`, { content: `text ${round}` }, { 'if-match': '*' });
      },
    ],
    [
      'POST /v1/posts',
      async () => (round) =>
        sent('POST', '/v1/posts', { title: `Post ${round}`, content: 'text', type: 'article', tags: ['a'] }),
    ],
    [
      'POST /v1/auth/login',
      async () => () =>
        app.client.post('/v1/auth/login', { body: { login: person.username, password: person.password } }),
    ],
    [
      'DELETE /v1/posts/:id',
      async () => {
        const posts = await postsWith(ROUNDS + 1);
        return (round) => sent('DELETE', `/v1/posts/${posts[round]}`);
      },
    ],
  ])('%s: no more than its budget', async (route, prepare) => {
    const request = await prepare();

    const files = await filesOf(request);

    const budget = BUDGETS[route];
    if (files.length > budget)
      throw new Error(`${route} runs ${files.length} files, ${budget} are allowed:\n${files.join('\n')}`);
  });

  async function postsWith(
    count: number,
    add: (post: { id: string }) => Promise<unknown> = async () => {},
  ): Promise<string[]> {
    const posts = await Promise.all(Array.from({ length: count }, () => world.post({ by: person })));
    for (const post of posts) await add(post);
    return posts.map(({ id }) => id);
  }

  /** Returns the files that run in every round, because timers and jobs run theirs in only one. The first round warms up. */
  async function filesOf(request: (round: number) => Promise<Answer>): Promise<string[]> {
    let files: Set<string> | undefined;
    for (let round = 0; round <= ROUNDS; round++) {
      await session.post('Profiler.takePreciseCoverage');
      const { status, body } = await request(round);
      const ran = await filesThatRan();
      if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
      if (round > 0) files = files === undefined ? ran : new Set([...files].filter((file) => ran.has(file)));
    }
    return [...files!].filter((file) => !background.has(file)).sort();
  }

  async function filesThatRan(): Promise<Set<string>> {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(
      ({ url, functions }) =>
        url.startsWith(SRC) && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    );
    return new Set(ran.map(({ url }) => url.slice(SRC.length)));
  }
});
