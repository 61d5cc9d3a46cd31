import type { RelatedPostDto } from '../../src/search/related.dto.js';
import { indexAll, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const LOOMS = 'Jacquard looms weave brocade from punched cards.';
const CHEESE = 'Cheese ripens in a cellar.';

describe.each([true, false])('related posts, with search: %s,', (search) => {
  const app = useApp({ search, env: search ? {} : { SEARCH: 'off' } });
  const { world } = app;
  const { ok, send } = verbsOf(app);
  let author: Person;
  let others: Person[];
  let source: string;
  const list = async (id = source, by?: Person, rest = ''): Promise<RelatedPostDto[]> =>
    (await ok(by, 'GET', `posts/${id}/related${rest}`)).data;
  const reasonsOf = (rows: RelatedPostDto[]) => new Set(rows.map(({ reason }) => reason));
  const post = async (by: Person, fields: object = {}) =>
    (await world.post({ by, title: 'Untitled', content: LOOMS, tags: ['weaving'], ...fields })).id;

  beforeAll(async () => {
    others = await world.people(2);
    author = await world.person();
    source = await post(author);
    for (let count = 0; count < 4; count++) for (const by of [author, ...others]) await post(by);
    for (const visibility of ['private', 'unlisted'] as const) await post(others[0]!, { visibility });
    if (search) await indexAll(app);
  });

  it('lists three of the author, two of each other one, and not the post itself', async () => {
    const rows = await list(source, undefined, '?limit=20');
    const of = (by: Person) => rows.filter((row) => row.author.id === by.id).length;
    expect([author, ...others].map(of)).toEqual([3, 2, 2]);
    expect(rows).toHaveLength(7);
    expect(rows.map(({ id }) => id)).not.toContain(source);
    expect(reasonsOf(rows)).toEqual(new Set(['tag']));
    expect(await list(source)).toEqual(rows.slice(0, 5));
    for (const limit of [0, 21])
      expectProblem(await send(undefined, 'GET', `posts/${source}/related?limit=${limit}`), 400, 'invalid_input');
  });

  it(search ? 'finds posts by their rare words' : 'finds posts by their tags only', async () => {
    const [stranger] = await world.people(1);
    const id = await post(author, { title: 'Camembert', content: CHEESE, tags: [] });
    const twin = await post(stranger, { title: 'Brie', content: `${CHEESE} It smells.`, tags: ['food'] });
    const own = await post(author, { title: 'Stilton', content: `${CHEESE} It is blue.`, tags: ['blue'] });
    if (search) await indexAll(app);
    const rows = await list(id);
    expect(rows.map((row) => [row.id, row.reason]).sort()).toEqual(
      search
        ? [
            [twin, 'words'],
            [own, 'author'],
          ].sort()
        : [],
    );
  });

  it('is cached, and lists a hidden, deleted or blocked post no more', async () => {
    const before = await list(source, undefined, '?limit=20');
    const [hidden, deleted] = before.filter((row) => row.author.id === others[0]!.id).map(({ id }) => id);
    const [reader] = await world.people(1);
    await ok(reader, 'PUT', `users/${others[1]!.username}/block`);
    const blocked = before.filter((row) => row.author.id === others[1]!.id).map(({ id }) => id);

    const filtered = await list(source, reader, '?limit=20');
    await world.editPost(hidden!, { by: others[0]!, isPublic: false });
    await world.deletePost(deleted!, { by: others[0]! });
    const after = await list(source, undefined, '?limit=20');

    expect(filtered.map(({ id }) => id)).toEqual(before.map(({ id }) => id).filter((id) => !blocked.includes(id)));
    const left = after.map(({ id }) => id);
    expect(left).toEqual(expect.arrayContaining(blocked));
    expect(left).not.toContain(hidden);
    expect(left).not.toContain(deleted);
  });

  it('is there for a post that no list shows, for its readers', async () => {
    const [unlisted, hidden] = [
      await post(author, { visibility: 'unlisted' }),
      await post(author, { visibility: 'private' }),
    ];
    expect(reasonsOf(await list(unlisted))).toEqual(new Set(['tag']));
    expect(reasonsOf(await list(hidden, author))).toEqual(new Set(['tag']));
    expectProblem(await send(others[0], 'GET', `posts/${hidden}/related`), 404, 'post_not_found');
  });
});
