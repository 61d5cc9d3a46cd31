import { IMPORT_STARTED } from '../../src/imports/imports.events.js';
import { useApp } from '../support/app.js';
import { hugoPost, zipOf } from '../support/zips.js';
import { formOf } from '../support/pictures.js';
import { plansOf } from '../support/plans.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';

const PATH = '/v1/users/me/imports';
const POSTS = 12;

describe('the queries of imports', () => {
  const app = useApp();
  const { world } = app;
  const work = () => runTasks(app, [IMPORT_STARTED]);
  let people: Person[];
  const ids: string[] = [];

  beforeAll(async () => {
    people = await world.people(3);
    const posts = Array.from({ length: POSTS }, (_, at): [string, string] => {
      const date = new Date(Date.UTC(2019, 0, 1 + at)).toISOString();
      return [`content/posts/${at}.md`, hugoPost({ title: `Part ${at}`, date }, `After [it](/posts/${at - 1}/).`)];
    });
    const bytes = await zipOf(Object.fromEntries(posts));
    for (const { token } of people) ids.push((await app.client.post(PATH, { token, ...formOf({ bytes }) })).body.id);
    await work();
  });

  it.each([
    ['my imports', () => PATH],
    ['one of my imports', () => `${PATH}/${ids[0]}`],
    ['my drafts', () => '/v1/drafts?limit=5'],
  ])('reads %s as one range of an index', async (_, pathOf) => {
    const plans = await plansOf(app, async () =>
      expect((await app.client.get(pathOf(), { token: people[0]!.token })).status).toBe(200),
    );

    expect(plans.length).toBeGreaterThan(0);
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/IXSCAN|IDHACK|EXPRESS/);
      expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
      expect(docsExamined).toBe(nReturned);
    }
  });

  it.each(['archive_imports', 'archive_entries', 'drafts'])(
    'publishes and deletes by indexes, and examines only its own rows of %s',
    async (collection) => {
      const at = ['archive_imports', 'archive_entries', 'drafts'].indexOf(collection);
      const { token } = people[at]!;
      const plans = await plansOf(
        app,
        async () => {
          expect((await app.client.post(`${PATH}/${ids[at]}/publish`, { token })).status).toBe(202);
          await work();
          expect((await app.client.delete(`${PATH}/${ids[at]}`, { token })).status).toBe(204);
          await work();
        },
        collection,
      );

      expect(plans.length).toBeGreaterThan(0);
      for (const { plan, docsExamined } of plans) {
        expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
        expect(docsExamined).toBeLessThanOrEqual(POSTS);
      }
    },
  );
});
