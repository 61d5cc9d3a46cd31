import { ObjectId } from 'mongodb';
import { type ContentFilter, MAX_FILTERS } from '../../src/blocks/content-filter.schema.js';
import { indexAll, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainActivity, verbsOf } from '../support/verbs.js';

const PATH = 'users/me/filters';
const DRAFT = { phrase: 'sea', in: ['posts', 'comments'], action: 'hide' };

const app = useApp({ search: true });
const { world } = app;

const { send, ok } = verbsOf(app);
/** Each row of a list by its text, with what it carries for the viewer. */
const shownIn = async (by: Person, path: string): Promise<Record<string, unknown>> => {
  const { data } = await ok(by, 'GET', path);
  const rows: any[] = data.posts ?? data;
  return Object.fromEntries(
    rows.map((row) => row.post ?? row).map((row) => [row.title ?? row.content ?? row.id, row.filtered ?? null]),
  );
};

describe('the filters of an account', () => {
  it('are listed by phrase, changed and deleted, by the account alone', async () => {
    const [reader, other] = await world.people(2);
    const until = '2099-12-31T00:00:00.000Z';

    const sea = await ok(reader, 'POST', PATH, { ...DRAFT, phrase: ' Sea ', until });
    const defaults = { isWholeWord: true, until: null };
    expect(sea).toEqual({ id: sea.id, ...DRAFT, ...defaults, phrase: 'Sea', until });
    const land = await ok(reader, 'POST', PATH, { ...DRAFT, phrase: 'land', in: ['comments'], action: 'warn' });
    expect(await ok(reader, 'GET', PATH)).toEqual({ data: [land, sea] });
    expect(await ok(other, 'GET', PATH)).toEqual({ data: [] });

    const changed = { ...land, phrase: 'Thunder', isWholeWord: false, in: ['posts'], action: 'hide' };
    const { id: _, until: __, ...fields } = changed;
    expect(await ok(reader, 'PATCH', `${PATH}/${land.id}`, fields)).toEqual(changed);
    expect(await ok(reader, 'PATCH', `${PATH}/${sea.id}`, { until: null })).toEqual({ ...sea, until: null });
    expect(await ok(reader, 'PATCH', `${PATH}/${sea.id}`, {})).toEqual({ ...sea, until: null });
    expect((await ok(reader, 'GET', PATH)).data).toEqual([{ ...sea, until: null }, changed]);

    expectProblem(await send(other, 'PATCH', `${PATH}/${sea.id}`, fields), 404, 'filter_not_found');
    expectProblem(await send(other, 'DELETE', `${PATH}/${sea.id}`), 404, 'filter_not_found');
    expect((await send(reader, 'DELETE', `${PATH}/${sea.id}`)).status).toBe(204);
    expectProblem(await send(reader, 'DELETE', `${PATH}/${sea.id}`), 404, 'filter_not_found');
    expect((await ok(reader, 'GET', PATH)).data).toEqual([changed]);
  });

  it('have different phrases, without regard to case, accents and spaces', async () => {
    const [reader, other] = await world.people(2);
    await ok(reader, 'POST', PATH, { ...DRAFT, phrase: 'Crème brûlée' });
    const { id } = await ok(reader, 'POST', PATH, DRAFT);

    const again = { ...DRAFT, phrase: 'CREME  brulee', action: 'warn' };
    expectProblem(await send(reader, 'POST', PATH, again), 409, 'filter_exists');
    expectProblem(await send(reader, 'PATCH', `${PATH}/${id}`, { phrase: again.phrase }), 409, 'filter_exists');
    await ok(other, 'POST', PATH, again);
  });

  it.each([
    ['phrase', { phrase: 'x'.repeat(61) }],
    ['phrase', { phrase: ' ' }],
    ['phrase', { phrase: '´' }],
    ['in', { in: [] }],
    ['in', { in: ['posts', 'people'] }],
    ['action', { action: 'blur' }],
    ['until', { until: '2020-01-01T00:00:00Z' }],
  ])('refuse a wrong %s', async (field, fields) => {
    const reader = await world.person();

    const { status, body } = await send(reader, 'POST', PATH, { ...DRAFT, ...fields });

    expect([status, body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]]);
  });

  it('name the values that a list may have', async () => {
    const { body } = await send(await world.person(), 'POST', PATH, { ...DRAFT, in: ['people'] });

    expect(body.errors).toEqual([{ field: 'in', message: 'each must be one of posts, comments' }]);
  });

  it('end at 100', async () => {
    const reader = await world.person();
    const rows = Array.from({ length: MAX_FILTERS }, (_, at): ContentFilter => {
      const phrase = `word ${at}`;
      const fields = { ownerId: reader._id, phrase, key: phrase, isWholeWord: true, until: null };
      return { _id: new ObjectId(), ...fields, in: ['posts'], action: 'hide' };
    });
    await app.db.collection<ContentFilter>('content_filters').insertMany(rows);

    expectProblem(await send(reader, 'POST', PATH, DRAFT), 409, 'too_many_filters');

    await ok(reader, 'DELETE', `${PATH}/${rows[0]!._id.toHexString()}`);
    await ok(reader, 'POST', PATH, DRAFT);
  });
});

describe('a list', () => {
  const tags = ['shore'];
  let author: Person;
  let reader: Person;
  let lists: string[];

  beforeAll(async () => {
    [author, reader] = await world.people(2);
    await world.post({ by: author, tags, title: 'Castles of sand', content: 'At the shore.' });
    await world.post({ by: author, tags, title: 'This and that', content: 'Of looms.' });
    await world.post({ by: author, tags: [...tags, 'sea'], title: 'Tides', content: 'The moon.' });
    await world.post({ by: author, tags, title: 'Ships', content: 'On the SÉA again.' });
    await world.post({ by: reader, tags, title: 'My sea', content: 'And sand.' });
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    await indexAll(app);
    const posts = (await ok(author, 'GET', 'feed?tag=shore')).data.map(({ id }: { id: string }) => id);
    const collection = await world.collection({ by: author, posts });
    const ofAll = ['feed?sort=latest', 'feed?sort=hot', 'feed?sort=top'].map((path) => `${path}&tag=shore`);
    lists = [
      ...[...ofAll, `collections/${collection.id}/posts`, 'search?kind=posts&q=shore'],
      ...[`users/${author.username}/posts`, 'feed/following'],
    ];
  });

  const isOfOne = (path: string): boolean => path.startsWith('users/') || path === 'feed/following';
  /** Of each list: the titles of posts by the author that it shows, and the warnings. */
  const expectLists = async (expected: Record<string, unknown>): Promise<void> => {
    for (const path of lists) {
      const own = isOfOne(path) ? {} : { 'My sea': null };
      expect([path, await shownIn(reader, path)]).toEqual([path, { ...own, ...expected }]);
    }
  };

  it('omits posts of others with a phrase in title, text or tags, until the filter is deleted', async () => {
    const all = { 'Castles of sand': null, 'This and that': null, Tides: null, Ships: null };
    await expectLists(all);

    const sea = await world.contentFilter({ by: reader, phrase: 'sea' });
    await expectLists({ 'Castles of sand': null, 'This and that': null });

    await ok(reader, 'DELETE', `${PATH}/${sea}`);
    await expectLists(all);
  });

  it('matches whole words, or parts of words', async () => {
    const and = await world.contentFilter({ by: reader, phrase: 'and' });
    await expectLists({ 'Castles of sand': null, Tides: null, Ships: null });

    await ok(reader, 'PATCH', `${PATH}/${and}`, { isWholeWord: false });
    await expectLists({ Tides: null, Ships: null });

    await ok(reader, 'PATCH', `${PATH}/${and}`, { in: ['comments'] });
    await expectLists({ 'Castles of sand': null, 'This and that': null, Tides: null, Ships: null });
    await ok(reader, 'DELETE', `${PATH}/${and}`);
  });

  it('names the filters that warn, and omits nothing for them', async () => {
    const [sea, moon] = [
      await world.contentFilter({ by: reader, phrase: 'sea', action: 'warn' }),
      await world.contentFilter({ by: reader, phrase: 'the moon', action: 'warn' }),
    ];
    const warning = { id: sea, phrase: 'sea' };
    const both = [warning, { id: moon, phrase: 'the moon' }];
    await expectLists({ 'Castles of sand': null, 'This and that': null, Tides: both, Ships: [warning] });

    for (const id of [sea, moon]) await ok(reader, 'DELETE', `${PATH}/${id}`);
  });

  it('returns posts after the end of the filter', async () => {
    await ok(reader, 'POST', PATH, { ...DRAFT, until: '2099-12-31T00:00:00Z' });
    const other = await world.contentFilter({ by: reader, phrase: 'tidal', in: ['comments'] });
    await expectLists({ 'Castles of sand': null, 'This and that': null });

    const ended = { $set: { until: new Date(Date.now() - 1) } };
    await app.db.collection('content_filters').updateOne({ ownerId: reader._id, key: 'sea' }, ended);
    expect((await ok(reader, 'GET', PATH)).data.map(({ phrase }: { phrase: string }) => phrase)).toEqual(['tidal']);
    // the next change reloads the filters
    await ok(reader, 'DELETE', `${PATH}/${other}`);
    await expectLists({ 'Castles of sand': null, 'This and that': null, Tides: null, Ships: null });
  });
});

describe('comments', () => {
  it('with a phrase keep their place without author and text, or name the filter', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    const parent = await world.comment({ by: author, on: post.id, content: 'The sea.' });
    await world.comment({ by: author, on: post.id, content: 'A sand castle.' });
    await world.comment({ by: reader, on: post.id, content: 'My sea and sand.' });
    await world.comment({ by: author, on: post.id, content: 'Sea, too.', parentId: parent.id });
    await world.contentFilter({ by: reader, phrase: 'sea' });
    const sand = await world.contentFilter({ by: reader, phrase: 'sand', action: 'warn' });

    expect(await shownIn(reader, `posts/${post.id}/comments`)).toEqual({
      [parent.id]: null,
      'A sand castle.': [{ id: sand, phrase: 'sand' }],
      'My sea and sand.': null,
    });
    const { data } = await ok(reader, 'GET', `posts/${post.id}/comments?sort=oldest`);
    expect(data[0]).toMatchObject({ id: parent.id, author: null, content: null, isHiddenForYou: true });
    expect((await ok(reader, 'GET', `comments/${parent.id}/replies`)).data).toMatchObject([{ isHiddenForYou: true }]);
    expect((await ok(reader, 'GET', `comments/${parent.id}`)).content).toBe('The sea.');
  });
});

describe('a filter', () => {
  it('matches what readers see of a post or comment, not its Markdown', async () => {
    const [author, reader] = await world.people(2);
    const tags = ['visible'];
    const on = (await world.post({ by: reader, tags: ['own'] })).id;
    for (const text of ['The se*a*.', 'The s&#101;a.', '[A harbor](https://sea.example/).', 'The s\u2062ea.']) {
      await world.post({ by: author, tags, title: text.includes('harbor') ? 'Seen' : 'Hidden', content: text });
      await world.comment({ by: author, on, content: text });
    }
    await world.contentFilter({ by: reader, phrase: 'sea' });
    await drainActivity(app);
    await indexAll(app);

    const comments = (await ok(reader, 'GET', `posts/${on}/comments?sort=oldest`)).data;
    const seen = comments.map(({ isHiddenForYou = false }) => !isHiddenForYou);
    expect(seen).toEqual([false, false, true, false]);
    for (const path of [
      'feed?sort=latest&tag=visible',
      `users/${author.username}/posts`,
      'search?kind=posts&q=visible',
    ])
      expect([path, Object.keys(await shownIn(reader, path))]).toEqual([path, ['Seen']]);
    // The latest comment is in the notification.
    expect((await ok(reader, 'GET', 'notifications')).data).toEqual([]);
    await world.comment({ by: author, on, content: '[A harbor](https://sea.example/).' });
    await drainActivity(app);
    expect((await ok(reader, 'GET', 'notifications')).data).toHaveLength(1);
  });
});

describe('notifications', () => {
  it('about a comment with a phrase that hides are omitted', async () => {
    const [author, reader] = await world.people(2);
    const [one, other] = [await world.post({ by: reader }), await world.post({ by: reader })];
    await world.comment({ by: author, on: one.id, content: 'The sea.' });
    await world.comment({ by: author, on: other.id, content: 'Looms.' });
    await drainActivity(app);
    const targets = async (): Promise<string[]> =>
      (await ok(reader, 'GET', 'notifications')).data.map(({ post }: { post: { id: string } }) => post.id).sort();
    expect(await targets()).toEqual([one.id, other.id].sort());

    await world.contentFilter({ by: reader, phrase: 'sea' });

    expect(await targets()).toEqual([other.id]);
  });
});
