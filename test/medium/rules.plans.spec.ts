import { useApp } from '../support/app.js';
import { plansOf, scansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainTasks } from '../support/verbs.js';

const app = useApp({ env: { NEWCOMER_DAYS: '3', REVIEW_FIRST_POSTS: '1', CACHE_FEED_TTL_MS: '0' } });
const { world } = app;
let admin: Person;
let author: Person;
let postId: string;
let ruleId: string;

const commentBy = (by: Person, content: string) => world.comment({ by, on: postId, content });

beforeAll(async () => {
  admin = await world.person({ role: 'admin' });
  author = await world.person();
  const others = await world.people(4);
  postId = (await world.post({ by: admin })).id;
  for (const value of ['one', 'two', 'three', 'four', 'five']) ruleId = await world.rule({ value });
  for (const by of [author, ...others])
    for (let times = 0; times < 3; times++) {
      await world.post({ by });
      await commentBy(by, 'Well said.');
    }
});

describe('the queries of rules and of limits of new accounts', () => {
  it('read a page of rules as a range of the primary key', async () => {
    for (let page = 0, cursor = ''; page < 2; page++) {
      let response = { body: { page: { nextCursor: '' } } };
      const work = async () =>
        (response = await app.client.get(`/v1/moderation/rules?limit=2${cursor}`, { token: admin.token }));
      const [list] = await plansOf(app, work, 'content_rules');

      expect(list).toMatchObject({ docsExamined: 3, nReturned: 3 });
      expect(list!.plan).not.toMatch(/\bSORT\b|COLLSCAN/);
      cursor = `&cursor=${response.body.page.nextCursor}`;
    }
  });

  it('load the rules once after a change, and none for the next texts', async () => {
    await world.rule({ value: 'six' });

    const plans = await plansOf(app, () => commentBy(admin, 'First.'), 'content_rules');
    const more = await plansOf(app, () => commentBy(admin, 'Second.'), 'content_rules');

    expect(plans).toMatchObject([{ docsExamined: 6, nReturned: 6 }]);
    expect([plans[0]!.plan, more]).toEqual([expect.not.stringContaining('COLLSCAN'), []]);
  });

  it('count the posts and comments of a new account as ranges of an index', async () => {
    const posts = await plansOf(app, () => world.post({ by: author }), 'posts');
    const comments = await plansOf(app, () => commentBy(author, 'Well said.'), 'comments');

    for (const [count] of [posts, comments]) {
      // The explained query also finds the new row.
      expect(count).toMatchObject({ docsExamined: 4, nReturned: 4 });
      expect(count!.plan).not.toMatch(/\bSORT\b|COLLSCAN/);
    }
  });

  it('scan no collection when rules change, match and open cases', async () => {
    const { token } = admin;
    const scans = await scansOf(app, async () => {
      for (const action of ['hold', 'report'] as const) await world.rule({ value: 'seven', action });
      await app.client.patch(`/v1/moderation/rules/${ruleId}`, { token, body: { isDryRun: true } });
      await world.post({ by: admin, content: 'Seven.' });
      await commentBy(admin, 'Seven.');
      await drainTasks(app);
      await app.client.get(`/v1/moderation/rules/${ruleId}/hits`, { token });
      await app.client.delete(`/v1/moderation/rules/${ruleId}`, { token });
    });

    expect(scans).toEqual([]);
  });
});
