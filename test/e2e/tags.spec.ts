import { AccountsService } from '../../src/auth/accounts.service.js';
import { TagCountsJob } from '../../src/tags/tag-counts.job.js';
import type { Tag } from '../../src/tags/tag.schema.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { drainTasks, verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
const { walk } = verbsOf(app);
const count = () => app.app.get(TagCountsJob).run(new AbortController().signal);

const follow = (tag: string, { token }: Person) =>
  app.client.put(`/v1/tags/${encodeURIComponent(tag)}/follow`, { token });
const unfollow = (tag: string, { token }: Person) => app.client.delete(`/v1/tags/${tag}/follow`, { token });
const followed = async ({ token }: Person): Promise<string[]> => {
  const { body } = await app.client.get('/v1/users/me/tags', { token });
  return body.data.map(({ tag }: { tag: string }) => tag);
};
const followersOf = async (tag: string): Promise<number> =>
  (await app.db.collection<Tag>('tags').findOne({ _id: tag }))?.followersCount ?? 0;

describe('GET /v1/tags', () => {
  let author: Person;
  const names = async (query: string) => (await walk(`tags?${query}`, 2)).map(({ tag }) => tag);

  beforeAll(async () => {
    author = await world.person();
    const posts = [['weben', 'wabe'], ['weben', 'größe'], ['weben', 'größe', 'gr'], ['wabe'], ['zuse'], ['zuse-3']];
    for (const tags of posts) await world.post({ by: author, tags });
    await world.post({ by: author, tags: ['hidden-tag'], isPublic: false });
    await count();
  });

  it('lists the tags of public posts by the number of these', async () => {
    const { body } = await app.client.get('/v1/tags?limit=3');
    expect(body.data).toEqual([
      { tag: 'weben', postsCount: 3, followersCount: 0, trend: 0 },
      { tag: 'wabe', postsCount: 2, followersCount: 0, trend: 0 },
      { tag: 'größe', postsCount: 2, followersCount: 0, trend: 0 },
    ]);
    expect(await names('sort=popular')).toEqual(['weben', 'wabe', 'größe', 'zuse-3', 'zuse', 'gr']);
  });

  it('lists them by name, and those with a prefix in any case', async () => {
    expect(await names('sort=name')).toEqual(['gr', 'größe', 'wabe', 'weben', 'zuse', 'zuse-3']);
    expect(await names('sort=name&prefix=Z')).toEqual(['zuse', 'zuse-3']);
    expect(await names(`prefix=${encodeURIComponent('GRÖ')}`)).toEqual(['größe']);
    expect(await names('sort=popular&prefix=w')).toEqual(['weben', 'wabe']);
  });

  it('refuses a cursor of another order, and a prefix that is no tag', async () => {
    const { body } = await app.client.get('/v1/tags?limit=1');
    expectProblem(await app.client.get(`/v1/tags?sort=name&cursor=${body.page.nextCursor}`), 400, 'invalid_cursor');
    expectProblem(await app.client.get('/v1/tags?prefix=%24'), 400, 'invalid_input');
  });

  it('counts again posts that were published and deleted since', async () => {
    const { id } = await world.post({ by: author, tags: ['einmal'] });
    await count();
    expect((await app.client.get('/v1/tags/einmal')).body).toMatchObject({ postsCount: 1 });
    await world.deletePost(id, { by: author });

    await count();

    expect(await app.db.collection<{ _id: string }>('tags').findOne({ _id: 'einmal' })).toBeNull();
    expect(await names('sort=name&prefix=einmal')).toEqual([]);
  });
});

describe('GET /v1/tags/:tag', () => {
  it('returns the counts of a tag in any case, and zeros for a tag that no post has', async () => {
    const { status, body, headers } = await app.client.get('/v1/tags/WEBEN');
    expect([status, body]).toEqual([
      200,
      { tag: 'weben', postsCount: 3, followersCount: 0, trend: 0, description: '' },
    ]);
    expect(headers.get('content-location')).toBe('/v1/tags/weben');
    expect((await app.client.get('/v1/tags/unbekannt')).body).toMatchObject({ postsCount: 0, followersCount: 0 });
    expectProblem(await app.client.get('/v1/tags/a%20b'), 400, 'invalid_input');
  });
});

describe('PATCH /v1/tags/:tag', () => {
  let moderator: Person;
  const edit = (tag: string, body: object, by = moderator) =>
    app.client.patch(`/v1/tags/${tag}`, { token: by.token, body });

  beforeAll(async () => {
    moderator = await world.person({ role: 'moderator' });
  });

  it('describes a tag, hides it from lists, and logs this', async () => {
    const author = await world.person();
    for (const tags of [['kraut'], ['kraut', 'kr-2']]) await world.post({ by: author, tags });
    await count();
    const changed = await edit('kraut', { description: 'Alles über Kohl', isHidden: true });
    expect([changed.status, changed.body.description]).toEqual([200, 'Alles über Kohl']);
    await app.untilDelivered();
    expect((await app.client.get('/v1/tags/kraut')).body).toMatchObject({
      postsCount: 2,
      description: 'Alles über Kohl',
    });
    expect((await walk('tags?sort=name&prefix=kr', 5)).map(({ tag }) => tag)).toEqual(['kr-2']);
    const row = await app.db.collection('moderation_actions').findOne({ kind: 'change_tag' });
    expect(row).toMatchObject({ actorId: moderator._id, targetKind: 'tag', detail: 'kraut: description, isHidden' });
  });

  it('makes an alias, whose reads and follows are about the other tag', async () => {
    expect((await edit('js', { aliasOf: 'javascript', description: 'kurz' })).body.tag).toBe('javascript');
    await app.untilDelivered();
    const { body, headers } = await app.client.get('/v1/tags/js');
    expect([body.tag, headers.get('content-location')]).toEqual(['javascript', '/v1/tags/javascript']);
    const ann = await world.person();
    expect((await follow('js', ann)).body).toEqual({ tag: 'javascript', isFollowing: true, followersCount: 1 });
    expect(await followed(ann)).toEqual(['javascript']);
    expect((await unfollow('js', ann)).body).toMatchObject({ tag: 'javascript', followersCount: 0 });
    await edit('js', { aliasOf: null });
    await app.untilDelivered();
    expect((await app.client.get('/v1/tags/js')).body).toMatchObject({ tag: 'js', description: 'kurz' });
  });

  it('refuses cycles and chains of aliases, and other accounts', async () => {
    await edit('b', { aliasOf: 'a' });
    for (const [tag, aliasOf] of [
      ['a', 'a'],
      ['a', 'b'],
      ['a', 'c'],
      ['c', 'b'],
    ] as const)
      expectProblem(await edit(tag, { aliasOf }), 400, 'invalid_alias');
    expectProblem(await edit('a', { description: 'x'.repeat(301) }), 400, 'invalid_input');
    expectProblem(await edit('a', { isHidden: true }, await world.person()), 403, 'forbidden');
  });
});

describe('PUT and DELETE /v1/tags/:tag/follow', () => {
  it('is idempotent and responds with the exact state and count', async () => {
    const [ann, ben] = await world.people(2);
    await follow('lochkarten', ben);
    for (let times = 0; times < 2; times++) {
      const { status, body } = await follow('Lochkarten', ann);
      expect([status, body]).toEqual([200, { tag: 'lochkarten', isFollowing: true, followersCount: 2 }]);
    }
    await app.untilDelivered();
    expect((await app.client.get('/v1/tags/lochkarten')).body.followersCount).toBe(2);
    for (let times = 0; times < 2; times++)
      expect((await unfollow('lochkarten', ann)).body).toEqual({
        tag: 'lochkarten',
        isFollowing: false,
        followersCount: 1,
      });
    await app.untilDelivered();
    expect((await app.client.get('/v1/tags/lochkarten')).body.followersCount).toBe(1);
    expect((await app.client.put('/v1/tags/lochkarten/follow')).status).toBe(401);
  });

  it('counts 40 concurrent followers as 40', async () => {
    const fans = await world.people(40);
    const answers = await Promise.all(
      fans.map(({ token }) => app.patient.put('/v1/tags/rechenmaschinen/follow', { token })),
    );
    expect(answers.map(({ body }) => body.followersCount).sort((a, b) => a - b)).toEqual(fans.map((_, at) => at + 1));
    expect(await followersOf('rechenmaschinen')).toBe(40);
  });

  it('refuses the 31st tag', async () => {
    const ann = await world.person();
    for (let at = 0; at < 30; at++) expect((await follow(`viele-${at}`, ann)).status).toBe(200);
    const [tag] = await followed(ann);
    expectProblem(await follow('viele', ann), 409, 'too_many_tags');
    await unfollow(tag!, ann);
    expect((await follow('viele', ann)).status).toBe(200);
    expect((await followed(ann))[0]).toBe('viele');
  });
});

describe('the interests of a profile', () => {
  it('are followed when they are added, and stay followed when they are removed', async () => {
    const ann = await world.person();
    const edit = (interests: string[]) =>
      app.client.patch('/v1/users/me', { token: ann.token, body: { interests }, headers: { 'if-match': '*' } });
    expect((await edit(['optik', 'akustik'])).status).toBe(200);
    expect((await followed(ann)).sort()).toEqual(['akustik', 'optik']);
    await edit(['optik', 'mechanik']);
    expect((await followed(ann)).sort()).toEqual(['akustik', 'mechanik', 'optik']);
  });

  it('are followed up to the limit', async () => {
    const ann = await world.person();
    for (let at = 0; at < 29; at++) await follow(`voll-${at}`, ann);
    const { status } = await app.client.patch('/v1/users/me', {
      token: ann.token,
      body: { interests: ['erstes', 'zweites'] },
      headers: { 'if-match': '*' },
    });
    expect(status).toBe(200);
    const tags = await followed(ann);
    expect([tags.length, tags[0], await followersOf('zweites')]).toEqual([30, 'erstes', 0]);
  });
});

describe('a deleted account', () => {
  it('follows no tag, and no longer counts', async () => {
    const [ann, ben] = await world.people(2);
    for (const person of [ann, ben]) await follow('vergessen', person);
    await app.app.get(AccountsService).end(ann._id);
    await drainTasks(app);
    expect(await followersOf('vergessen')).toBe(1);
    expect(await app.db.collection('tag_follows').countDocuments({ tag: 'vergessen' })).toBe(1);
  });
});

describe('GET /v1/feed/following?include=people,tags', () => {
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  let reader: Person;
  let writers: Person[];
  /** newest first */
  const posts: { id: string; by: number; tags: string[] }[] = [];
  const chosen = ['eins', 'zwei', 'drei', 'vier'];

  beforeAll(async () => {
    [reader, ...writers] = await world.people(4);
    for (let at = 0; at < 24; at++) {
      const by = at % 3;
      const tags = chosen.filter((_, n) => ((at * 7 + 3) >> n) % 2 === 1);
      posts.unshift({ id: (await world.post({ by: writers[by]!, tags })).id, by, tags });
    }
  });

  it('equals a merge of both lists for any follows, page by page, each post once', async () => {
    for (let round = 0; round < 16; round++) {
      const people = writers.filter((_, n) => ((round * 5) >> n) % 2 === 1);
      const tags = chosen.filter((_, n) => (round >> n) % 2 === 1);
      for (const one of writers) {
        const path = `/v1/users/${one.username}/follow`;
        await app.client[people.includes(one) ? 'put' : 'delete'](path, { token: reader.token });
      }
      for (const tag of chosen) await (tags.includes(tag) ? follow(tag, reader) : unfollow(tag, reader));

      const byPeople = posts.filter(({ by }) => people.includes(writers[by]!));
      const byTags = posts.filter((post) => post.tags.some((tag) => tags.includes(tag)));
      const byBoth = posts.filter((post) => byPeople.includes(post) || byTags.includes(post));
      const path = 'feed/following';

      expect(ids(await walk(`${path}?include=people,tags`, 1 + (round % 7), reader))).toEqual(ids(byBoth));
      expect(ids(await walk(`${path}?include=tags`, 100, reader))).toEqual(ids(byTags));
      expect(ids(await walk(path, 100, reader))).toEqual(ids(byPeople));
    }
  });

  it('refuses other sources, and a cursor of the list without tags', async () => {
    const { token } = reader;
    for (const one of chosen) await follow(one, reader);
    for (const { username } of writers) await app.client.put(`/v1/users/${username}/follow`, { token });
    expectProblem(await app.client.get('/v1/feed/following?include=topics', { token }), 400, 'invalid_input');
    expectProblem(await app.client.get('/v1/feed/following?include=', { token }), 400, 'invalid_input');
    const { body } = await app.client.get('/v1/feed/following?limit=1', { token });
    const cursor: string = body.page.nextCursor;
    const mixed = await app.client.get(`/v1/feed/following?include=tags,people&cursor=${cursor}`, { token });
    expectProblem(mixed, 400, 'invalid_cursor');
  });
});
