import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { getConnectionToken } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Connection } from 'mongoose';
import { seedDatabase } from '../../seeds/seed-database.js';
import { AppConfig } from '../../src/config/app-config.js';
import { ensureIndexes } from '../../src/platform/mongo/indexes/indexes.js';
import { PostWritesService } from '../../src/posts/post-writes.service.js';
import { PostsService } from '../../src/posts/posts.service.js';
import type { PostJson } from '../../src/posts/post-view.js';
import { commentText } from '../../src/search/document-text.js';
import { IndexMaintenanceService } from '../../src/search/index-maintenance.service.js';
import { SearchDocuments } from '../../src/search/search-documents.js';
import type { CommentDocument } from '../../src/search/search-index.js';
import { auditIndex, indexAll, startApp, type TestApp, type TestHost, useApp } from '../support/app.js';
import { createClient, type TestClient } from '../support/client.js';
import { OpenSearchServer } from '../support/opensearch/opensearch-server.js';
import { describeWith } from '../support/optional.js';
import { expectProblem } from '../support/problem.js';
import { askedAgain, patient } from '../support/repeated-requests.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

type Draft = Parameters<PostsService['create']>[1];

async function publish(app: TestApp, author: Person, fields: Partial<Draft>): Promise<PostJson> {
  const draft: Draft = {
    ...{ title: 'Untitled', content: 'Nothing.', type: 'article', tags: [], thumbnailUrl: null },
    ...{ isPublic: true, isPremium: false, ...fields },
  };
  const post = await app.app.get(PostsService).create(author, draft);
  await app.untilDelivered();
  return post;
}

const idOf = (id: string): ObjectId => ObjectId.createFromHexString(id);
const path = (q: string, rest = ''): string => `/v1/search?q=${encodeURIComponent(q)}${rest}`;

type Engine = {
  env: Record<string, string>;
  /** Makes the index unavailable. */
  lose: (app: TestApp) => Promise<void>;
  restore: () => Promise<void>;
  refusal: [code: string, retryAfterSeconds: string];
};

const SQLITE: Engine = {
  env: {},
  lose: async (app) =>
    rmSync(join(app.app.get(AppConfig).search.directory, `${app.db.databaseName}.db`), { force: true }),
  // The server rebuilds it.
  restore: async () => {},
  refusal: ['search_not_ready', '5'],
};

const describeSearch = (engine: Engine): void =>
  describe('search', () => {
    const app = useApp({ search: true, env: engine.env });
    const { world } = app;
    let author: Person;
    const search = async (q: string, rest = '', client = app.patient) =>
      (
        await askedAgain(
          () => client.get(path(q, rest)),
          (answer) => !(answer instanceof Error) && answer.status === 503,
        )
      ).body;
    const ids = async (q: string, rest = '&kind=posts', client = app.patient): Promise<string[]> =>
      (await search(q, rest, client)).data.posts.map((post: PostJson) => post.id);
    /** Waits for every host, because each has an index of its own. */
    const untilEach = async (isTrue: (client: TestClient) => Promise<boolean>, what: string): Promise<void> => {
      for (const { url } of app.hosts)
        await until(
          async () => (await isTrue(patient(createClient(url)))) || null,
          () => `${what} was not found`,
        );
    };
    const untilFound = (q: string, id: string) =>
      untilEach(async (client) => (await ids(q, '&kind=posts', client)).includes(id), q);

    const ready = (query = '') =>
      until(async () => {
        // Reads from the host itself, because a proxy does not pass on the details.
        const { status, body } = await createClient(app.ownUrl).get(`/health/ready${query}`);
        return status === 200 ? body : null;
      });

    beforeAll(async () => {
      author = await world.person();
      await indexAll(app);
    });

    it('refuses comments, which are off by default, and names the setting', async () => {
      const response = await app.patient.get(path('looms', '&kind=comments'));
      expectProblem(response, 404, 'not_found');
      expect(response.body.detail).toContain('SEARCH_COMMENTS');
      expect(await (await fetch(`${app.url}/search?q=looms`)).text()).not.toContain('kind=comments');
    });

    it('finds a new post, its author and its tag soon, although the same search ran before', async () => {
      expect(await search('quaternions')).toMatchObject({
        data: { posts: [], users: [], tags: [] },
        correctedTo: null,
      });
      const { username } = await world.person({ overHttp: true, fullName: 'Hamilton Quaternions' });
      const post = await publish(app, author, { title: 'On quaternions', tags: ['quaternions-101'] });
      const isKnown = async (client: TestClient) => (await search('quaternions', '', client)).data.users.length === 1;
      await untilEach(isKnown, username);
      await untilFound('quaternions', post.id);
      await untilEach(async (client) => (await search('Quaternions', '', client)).data.tags.length === 1, 'the tag');
      const { data, page, facets } = await search('Quaternions');
      expect(data.users[0].username).toBe(username);
      expect(data.tags).toEqual([{ tag: 'quaternions-101', postsCount: 1 }]);
      expect(data.posts[0]).toMatchObject({ id: post.id, title: 'On quaternions' });
      expect(data.posts[0].highlights).toEqual({ title: [{ start: 3, end: 14 }], subtitle: [], contentPreview: [] });
      expect(page).toEqual({ nextCursor: null });
      expect(facets).toEqual({ types: [{ type: 'article', count: 1 }] });
    });

    it('shows a hidden or deleted post in no response after the write, cached ones included', async () => {
      const [hidden, deleted] = [
        await publish(app, author, { title: 'Vanishing one' }),
        await publish(app, author, { title: 'Vanishing two' }),
      ];
      await untilFound('vanishing', hidden.id);
      await untilFound('vanishing', deleted.id);
      await world.editPost(hidden.id, { by: author, isPublic: false });
      expect(await ids('vanishing')).toEqual([deleted.id]);
      await world.deletePost(deleted.id, { by: author });
      expect(await ids('vanishing')).toEqual([]);
      await world.editPost(hidden.id, { by: author, isPublic: true });
      await untilFound('vanishing', hidden.id);
    });

    it('finds an edited post and a renamed account by their current text', async () => {
      const post = await publish(app, author, { title: 'Spelt wrnogly', content: 'The first text.' });
      await untilFound('wrnogly', post.id);
      const viewer = author.viewer;
      const changes = { title: 'Spelt rightly', content: 'Another body.' };
      await app.app.get(PostWritesService).edit(idOf(post.id), viewer, changes);
      await app.untilDelivered();
      await untilFound('rightly "another body"', post.id);
      expect(await ids('wrnogly')).toEqual([]);
      const person = await world.person({ overHttp: true, fullName: 'Maiden Name' });
      const byName = async (q: string, client?: TestClient): Promise<string[]> =>
        (await search(q, '&kind=users', client)).data.users.map(({ id }: { id: string }) => id);
      const untilNamed = (q: string) => untilEach(async (client) => (await byName(q, client)).includes(person.id), q);
      await untilNamed('maiden');
      await app.client.patch('/v1/users/me', { token: person.token, body: { fullName: 'Married Name' } });
      await untilNamed('married');
      expect(await byName('maiden')).toEqual([]);
      await app.client.patch('/v1/users/me', { token: person.token, body: { headline: 'Keeps lighthouses' } });
      await untilNamed('lighthouses');
    });

    it('forgives a typo, and returns the corrected words', async () => {
      const post = await publish(app, author, { title: 'Thermodynamics of gardens' });
      await untilFound('thermodynamics', post.id);
      const answer = await search('thermodinamics gardens');
      expect(answer).toMatchObject({ correctedTo: 'thermodynamics gardens', matches: 'all' });
      expect(answer.data.posts.map(({ id }: PostJson) => id)).toEqual([post.id]);
      expect(await search('thermodynamics unheardof')).toMatchObject({ correctedTo: null, matches: 'any' });
    });

    it('lists a draft that is published late as a new post', async () => {
      const title = 'Chronology of almanacs';
      const draft = await publish(app, author, { title, isPublic: false });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const other = await publish(app, author, { title });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await world.editPost(draft.id, { by: author, isPublic: true });
      await untilFound('almanacs', draft.id);
      const { body } = await app.patient.get(path('almanacs', '&kind=posts&sort=latest'));
      expect(body.data.posts.map(({ id }: PostJson) => id)).toEqual([draft.id, other.id]);
    });

    describe('of many posts', () => {
      const TOTAL = 57;
      let people: [Person, Person];
      beforeAll(async () => {
        people = await world.people(2);
        for (let at = 0; at < TOTAL; at++) {
          const type = at % 3 === 0 ? 'poem' : 'article';
          const tags = at % 2 === 0 ? ['even-ones'] : [];
          await publish(app, people[at % 2]!, { title: `Archipelago ${'of islands '.repeat(at % 5)}`, type, tags });
        }
        await indexAll(app);
      });

      const walk = async (q: string, rest: string): Promise<string[][]> => {
        const pages: string[][] = [];
        for (let cursor = ''; ;) {
          const { body } = await app.patient.get(path(q, `${rest}${cursor && `&cursor=${cursor}`}`));
          pages.push([...body.data.posts, ...body.data.users].map(({ id }) => id));
          if (body.page.nextCursor === null) return pages;
          cursor = body.page.nextCursor;
        }
      };

      it.each(['relevance', 'latest'])('walks through all of them by %s in full pages, each once', async (sort) => {
        const pages = await walk('archipelago', `&kind=posts&limit=10&sort=${sort}`);
        expect(pages.map(({ length }) => length)).toEqual([10, 10, 10, 10, 10, 7]);
        expect(new Set(pages.flat()).size).toBe(TOTAL);
        if (sort === 'latest') expect(pages.flat()).toEqual(pages.flat().toSorted().reverse());
      });

      it('lists people in pages, those with more followers first', async () => {
        const crowd = await world.people(25);
        await app.db
          .collection('users')
          .updateOne({ _id: crowd[3]._id }, { $set: { 'stats.followersCount': 50, fullName: 'Person Best' } });
        await indexAll(app);
        const pages = await walk('person', '&kind=users&limit=10');
        expect(new Set(pages.flat()).size).toBe(pages.flat().length);
        expect(pages.flat().length).toBeGreaterThanOrEqual(25);
        expect(pages[0]![0]).toBe(crowd[3].id);
      });

      it('narrows by type, tag and author, and counts types', async () => {
        const { facets } = await search('archipelago', '&kind=posts');
        expect(facets.types).toEqual([
          { type: 'article', count: 38 },
          { type: 'poem', count: 19 },
        ]);
        const latest = '&kind=posts&sort=latest&limit=10';
        const { page } = await search('archipelago', latest);
        const second = await search('archipelago', `${latest}&cursor=${encodeURIComponent(page.nextCursor)}`);
        expect(second.facets).toEqual(facets);
        expect(await ids('archipelago', '&kind=posts&type=poem&limit=100')).toHaveLength(19);
        expect(await ids('archipelago', '&kind=posts&tag=Even-ones&limit=100')).toHaveLength(29);
        expect(
          await ids('archipelago', `&kind=posts&author=${people[1].username.toUpperCase()}&limit=100`),
        ).toHaveLength(28);
        expect(await app.patient.get(path('archipelago', '&author=nobody_here'))).toMatchObject({ status: 404 });
      });

      it('fills a page with the next results when some are no longer visible, even if the index still has them', async () => {
        const first = await ids('archipelago', '&kind=posts&limit=20');
        const hidden = first.slice(0, 15).map(idOf);
        const set = (isListed: boolean) =>
          app.db.collection('posts').updateMany({ _id: { $in: hidden } }, { $set: { isListed, isPublic: isListed } });
        await set(false);
        try {
          const now = await ids('archipelago', '&kind=posts&limit=30');
          expect(now).toHaveLength(30);
          expect(now.filter((id) => first.slice(0, 15).includes(id))).toEqual([]);
        } finally {
          await set(true);
        }
      });

      it('shows five of each kind, without further pages, in a search for all kinds', async () => {
        const { data, page } = await search('archipelago', '&limit=50');
        expect(data.posts).toHaveLength(5);
        expect(page.nextCursor).toBeNull();
      });

      it('refuses the cursor of another search', async () => {
        const { body } = await app.patient.get(path('archipelago', '&kind=posts&limit=5'));
        const cursor = `&limit=5&cursor=${body.page.nextCursor}`;
        for (const other of [
          path('islands', `&kind=posts${cursor}`),
          path('archipelago', `&kind=posts&sort=latest${cursor}`),
        ]) {
          expect(await app.patient.get(other)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
        }
      });

      it('suggests people, tags and words for an unfinished input', async () => {
        const suggest = async (q: string) => (await app.patient.get(`/v1/search/suggest?q=${q}&limit=3`)).body.data;
        expect((await suggest('perso')).users).toHaveLength(3);
        expect((await suggest('even')).tags).toEqual([{ tag: 'even-ones', postsCount: 29 }]);
        expect((await suggest('of+archip')).words).toEqual(['of archipelago']);
      });
    });

    it('shares a response between all spellings of case, until the index changes', async () => {
      const get = async (q: string) => (await fetch(app.url + path(q, '&kind=posts'))).headers.get('x-cache');
      let word = 'keptanswer';
      // The index may receive earlier writes between the two requests.
      await until(async () => {
        word += 'x';
        await search(word, '&kind=posts');
        return (await get(word.toUpperCase())) === 'HIT' ? true : null;
      });
      const post = await publish(app, author, { title: word });
      await untilFound(word, post.id);
    });

    it.each([
      ['', 'q'],
      ['?q=', 'q'],
      ['?q=%20%22%21', 'q'],
      ['?q=%D9%80', 'q'],
      [`?q=${'x'.repeat(101)}`, 'q'],
      ['?q=a&q=b', 'q'],
      ['?q=a&kind=drafts', 'kind'],
      ['?q=a&type=nothing', 'type'],
      ['?q=a&tag=not%20a%20tag', 'tag'],
      ['?q=a&sort=best', 'sort'],
      ['?q=a&limit=101', 'limit'],
      ['?q=a&page=2', 'page'],
    ])('refuses %s and names %s', async (query, field) => {
      const { status, body } = await app.client.get(`/v1/search${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_input']);
      expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
    });

    it('treats every character as text, never as syntax', async () => {
      const texts = [
        'title:x*',
        'a AND NOT b',
        '"a" NEAR b',
        '-x ^y',
        '§tarticle a',
        '\u202eabc\u202c',
        "'; DROP TABLE posts --1",
        '(',
        '字字字',
      ];
      for (const q of texts) {
        const { status } = await app.patient.get(path(q));
        expect([q, status]).toEqual([q, /[\p{L}\p{N}]/u.test(q) ? 200 : 400]);
      }
      // Half a surrogate pair, which is not UTF-8, and ten kilobytes.
      expect((await app.client.get('/v1/search?q=a%ED%A0%80')).status).toBe(200);
      expect((await app.patient.get(path('x'.repeat(10_000)))).status).toBe(414);
    });

    it('reports its state and its counts to operators', async () => {
      expect((await ready()).details).toHaveProperty('search');
      expect((await ready('?search=true')).status).toBe('ready');
      const metrics = await (await fetch(`${app.ownUrl}/metrics`)).text();
      expect(metrics).toMatch(/opencanvas_search_seconds_count\{operation="search",outcome="answered"\} [1-9]/);
      expect(metrics).toMatch(/opencanvas_search_indexed_total [1-9]/);
    });

    it('is rebuilt by the process that writes it when an operator asks for it', async () => {
      const { isReady, scan } = await app.app.get(IndexMaintenanceService).rebuild();
      expect([isReady, scan]).toEqual([true, null]);
      expect(await ids('archipelago', '&kind=posts&limit=100')).toHaveLength(57);
    });

    it('responds with 503 while there is no index, has all posts afterwards, and affects no other route', async () => {
      const { status } = await app.patient.get(path('archipelago'));
      expect(status).toBe(200);
      let limit = 6;
      const limited = () => app.client.get(path('archipelago', `&limit=${limit}`));
      // The writer notices the loss within a second, possibly before a slow machine sends a request.
      const gone = await until(async () => {
        limit++;
        await engine.lose(app);
        const answer = await limited();
        // A busy machine refuses searches of a file, too.
        return answer.status === 503 && answer.body.code === engine.refusal[0] ? answer : null;
      });
      expect([gone.body.code, gone.headers.get('retry-after')]).toEqual(engine.refusal);
      expect((await app.client.get('/v1/feed?limit=3')).status).toBe(200);
      await ready();
      const { id } = await publish(app, author, { title: 'Archipelago, written without an index' });
      await engine.restore();
      await until(async () => ((await limited()).status === 200 ? true : null));
      await untilFound('archipelago "without an index"', id);
      expect(await ids('archipelago', '&kind=posts&limit=100')).toHaveLength(58);
    });
  });

describeSearch(SQLITE);

/** @param differencesIn compares the comments in the index of a host with the visible ones */
const describeComments = (env: Engine['env'], differencesIn: (host: TestHost) => Promise<string[]>): void =>
  describe('search of comments', () => {
    const app = useApp({ search: true, env });
    const { world } = app;
    const { act, ok } = verbsOf(app);
    let author: Person;
    let reader: Person;
    const find = (q: string, { token, rest = '', client = app.patient }: Find = {}) =>
      client.get(path(q, `&kind=comments${rest}`), token === undefined ? {} : { token });
    const idsOf = async (q: string, options?: Find): Promise<string[]> =>
      (await find(q, options)).body.data.comments.map(({ id }: { id: string }) => id);
    const untilFound = async (q: string, ...wanted: string[]): Promise<void> => {
      for (const { url } of app.hosts)
        await until(async () => {
          const found = await idsOf(q, { client: patient(createClient(url)) });
          return found.join() === wanted.join() || null;
        });
    };
    type Find = { token?: string; rest?: string; client?: TestClient };

    beforeAll(async () => {
      [author, reader] = await world.people(2);
      await indexAll(app);
    });

    it('finds new and edited comments, newest first, with their posts', async () => {
      const { id, slug, title } = await world.post({ by: author });
      const first = await world.comment({ by: reader, on: id, content: 'The looms *weave* flowers.' });
      const second = await world.comment({ by: author, on: id, parentId: first.id, content: 'All of the Looms' });
      await untilFound('looms', second.id, first.id);

      const { body } = await find('looms');
      expect(body.data).toMatchObject({ posts: [], users: [], tags: [] });
      expect(body.data.comments[1]).toMatchObject({
        ...{ id: first.id, content: 'The looms *weave* flowers.', post: { id, slug, title } },
        highlights: { content: [{ start: 4, end: 9 }] },
      });
      const page = (await find('looms', { rest: '&limit=1' })).body;
      const rest = await find('looms', { rest: `&limit=1&cursor=${page.page.nextCursor}` });
      expect([...page.data.comments, ...rest.body.data.comments].map((one) => one.id)).toEqual([second.id, first.id]);
      expect(rest.body.page.nextCursor).toBeNull();

      const html = await (await fetch(`${app.url}/search?q=looms&kind=comments`)).text();
      expect(html).toContain('The <mark>looms</mark> *weave* flowers.');
      expect(html).toContain(`href="/p/${slug}?replies=${first.id}#comment-${first.id}"`);

      await ok(reader, 'PATCH', `comments/${first.id}`, { content: 'Engines instead' });
      await untilFound('looms', second.id);
      await untilFound('engines', first.id);
    });

    it('finds no comment that was deleted or removed, from the response on', async () => {
      const { id } = await world.post({ by: author });
      const [removed, root] = [
        await world.comment({ by: reader, on: id, content: 'A spinning wheel' }),
        await world.comment({ by: reader, on: id, content: 'More spinning' }),
      ];
      const reply = await world.comment({ by: author, on: id, parentId: root.id, content: 'Still spinning' });
      await untilFound('spinning', reply.id, root.id, removed.id);

      await app.client.delete(`/v1/comments/${root.id}?tree=true`, { token: author.token });
      await app.untilDelivered();
      expect(await idsOf('spinning')).toEqual([removed.id]);
      const moderator = await world.person({ role: 'moderator' });
      expect((await act(moderator, 'remove', 'comment', removed.id)).status).toBe(201);
      await app.untilDelivered();
      expect(await idsOf('spinning')).toEqual([]);
    });

    it('finds no comments on hidden and unlisted posts, and none of accounts that the reader blocks', async () => {
      const { id } = await world.post({ by: author });
      const comment = await world.comment({ by: reader, on: id, content: 'A quiet shuttle' });
      await untilFound('shuttle', comment.id);

      for (const visibility of ['private', 'unlisted']) {
        await ok(author, 'PATCH', `posts/${id}`, { visibility });
        await app.untilDelivered();
        expect([visibility, await idsOf('shuttle'), await idsOf('shuttle', author)]).toEqual([visibility, [], []]);
      }
      await ok(author, 'PATCH', `posts/${id}`, { visibility: 'public' });
      await untilFound('shuttle', comment.id);
      await ok(author, 'PUT', `users/${reader.username}/block`);
      await app.untilDelivered();
      expect([await idsOf('shuttle', author), await idsOf('shuttle')]).toEqual([[], [comment.id]]);
    });

    it('has exactly the visible comments in the index', async () => {
      for (const host of app.hosts) await until(async () => (await differencesIn(host)).length === 0 || null);
    });
  });

describe('search beside a seed', () => {
  const app = useApp({ search: true, env: { SEARCH_COMMENTS: 'on' } });
  const { world } = app;

  it('finds rows that were seeded without the server, and none of the rows before', async () => {
    const author = await world.person();
    await publish(app, author, { title: 'Dropped by the seed' });
    await indexAll(app);
    const request = { profile: 'tiny', seed: 1, now: new Date('2025-06-01T12:00:00Z') } as const;
    const connection = app.app.get<Connection>(getConnectionToken());
    const options = { ensureIndexes: () => ensureIndexes(connection), confirmDrop: async () => true };
    await seedDatabase({ db: app.db, request, ...options });
    for (const host of app.hosts)
      await until(async () => {
        const { documents, differences } = await auditIndex(host);
        return documents > 100 && differences.length === 0 ? true : null;
      });
    const post = await app.db.collection('posts').findOne({ isListed: true });
    const { body } = await app.patient.get(path(`"${post!['title']}"`, '&kind=posts'));
    expect(body.data.posts.map(({ title }: PostJson) => title)).toContain(post!['title']);
    expect((await app.patient.get(path('"Dropped by the seed"'))).body.data.posts).toEqual([]);
  });
});

describe('search of visitors', () => {
  const app = useApp({
    oneHost: 'of several hosts each lets a portion more through',
    search: true,
    env: {
      RATE_LIMIT_ENABLED: 'true', // Allows one more search after 30 s.
      RATE_LIMIT_VISITOR_SEARCHES_PER_MINUTE: '2',
      RATE_LIMIT_SEARCHES_PER_MINUTE: '4',
    },
  });
  const { world } = app;
  beforeAll(() => indexAll(app));

  it('is limited except for cache hits; accounts have a limit of their own', async () => {
    const person = await world.person();
    const searches = async (words: string[]) => {
      const statuses: number[] = [];
      for (const word of words) statuses.push((await app.client.get(path(word))).status);
      return statuses;
    };
    // A process that did not run for 1.5 s does not serve the cached response. A search refused for lack of CPU counts, too.
    const ofOneWord = await searches(Array.from({ length: 20 }, () => 'word'));
    expect(ofOneWord.filter((status) => status === 200).length).toBeGreaterThan(5);
    const ofOthers = await searches(['word1', 'word2', 'word3']);
    expect(ofOthers.filter((status) => status !== 429).length).toBeLessThan(2);
    expect(ofOthers.at(-1)).toBe(429);
    const policies: (string | null)[] = [];
    for (let at = 0; at < 5; at++) {
      const { headers, status } = await app.client.get(path(`term${at}`), { token: person.token });
      policies.push(headers.get('ratelimit-policy'));
      expect(status === 429).toBe(at === 4);
    }
    expect(new Set(policies)).toEqual(new Set(['"searches";q=4;w=60']));
  });
});

describe('search without an index', () => {
  it('is 503 without an index, and 404 when it is switched off', async () => {
    const settings = { DATA_DIR: join(process.cwd(), '.data', 'no-such-index') };
    const waiting = await startApp({
      env: { ...settings, SEARCH: 'sqlite', JOBS_ENABLED: 'true' },
      role: 'web',
      direct: 'a proxy asks again elsewhere what is answered 503',
    });
    const off = await startApp();
    try {
      for (const route of [path('a'), '/v1/search/suggest?q=a']) {
        expect(await waiting.patient.get(route)).toMatchObject({ status: 503, body: { code: 'search_not_ready' } });
        expect(await off.client.get(route)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
      const asked = '/health/ready?search=true';
      expect(await waiting.client.get(asked)).toMatchObject({ status: 503, body: { code: 'search_not_ready' } });
      expect((await waiting.client.get('/health/ready')).status).toBe(200);
      expect((await off.client.get(asked)).status).toBe(200);
    } finally {
      await waiting.close();
      await off.close();
    }
  });
});

describeComments({ SEARCH_COMMENTS: 'on' }, async (host) =>
  (await auditIndex(host)).differences.filter((one) => one.startsWith('comments ')),
);

describeWith('opensearch', 'with OpenSearch,', (libs) => {
  const server = new OpenSearchServer(libs);
  beforeAll(() => server.start());
  afterAll(() => server.remove());
  const environment = (own: Engine['env'] = {}): Engine['env'] => ({
    ...{ ...own, SEARCH: 'opensearch', OPENSEARCH_INDEX_PREFIX: 'e2e' },
    // The address is known when the server has started.
    get OPENSEARCH_URL() {
      return server.url;
    },
  });
  describeComments(environment({ SEARCH_COMMENTS: 'on' }), async ({ app }) => {
    const { documents } = await app.get(SearchDocuments).next({ kind: 'comments', after: null }, 500);
    const wanted = documents.map((one) => `${one.id} ${commentText(one as CommentDocument).digest}`);
    const response = await fetch(`${server.url}/e2e-*-c-comments/_search?size=500`);
    const { hits } = (await response.json()) as { hits: { hits: { _id: string; _source: { digest: string } }[] } };
    const found = hits.hits.map(({ _id, _source }) => `${_id} ${_source.digest}`);
    return [...wanted.filter((one) => !found.includes(one)), ...found.filter((one) => !wanted.includes(one))];
  });
  // Its last test kills the server.
  describeSearch({
    env: environment(),
    lose: () => server.kill(),
    restore: () => server.start(),
    refusal: ['overloaded', '1'],
  });
});
