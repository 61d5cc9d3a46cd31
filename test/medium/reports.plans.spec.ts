import { AccountsService } from '../../src/auth/accounts.service.js';
import { useApp } from '../support/app.js';
import { plansOf, scansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainTasks, verbsOf } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
let author: Person;
let reporters: Person[];
let moderator: Person;
let posts: string[];

const { send } = verbsOf(app);

beforeAll(async () => {
  [author, ...reporters] = await world.people(8);
  moderator = await world.person({ role: 'moderator' });
  posts = [];
  for (let at = 0; at < 12; at++) {
    posts.push((await world.post({ by: author })).id);
    for (const by of reporters.slice(0, 1 + (at % 3))) await world.report({ by, on: posts[at]! });
  }
  for (const targetId of reporters.slice(2).map(({ id }) => id))
    await send(author, 'POST', 'reports', { targetKind: 'user', targetId, reason: 'spam' });
});

describe('the queries of reports and cases', () => {
  it('stores a report with reads by key and counts of index keys', async () => {
    for (const collection of ['reports', 'report_cases']) {
      const post = await world.post({ by: author });

      const plans = await plansOf(app, () => world.report({ by: reporters[0]!, on: post.id }), collection);

      expect(plans.length).toBeGreaterThan(0);
      for (const { plan, docsExamined, nReturned } of plans) {
        expect(plan).toMatch(/IXSCAN|IDHACK/);
        expect(plan).not.toMatch(/\bSORT\b/);
        expect(docsExamined).toBe(plan.includes('reporterId') ? 0 : nReturned);
      }
    }
  });

  it.each([
    ['sort=weight', '"state":1,"weight":-1,"_id":-1'],
    ['sort=oldest', '"state":1,"firstAt":1,"_id":1'],
    ['sort=weight&kind=post', '"state":1,"targetKind":1,"weight":-1,"_id":-1'],
    ['sort=oldest&kind=post', '"state":1,"targetKind":1,"firstAt":1,"_id":1'],
  ])('reads the cases with %s as ranges of an index, page by page', async (query, key) => {
    const path = `moderation/cases?${query}&limit=2`;
    for (let page = 0, cursor = ''; page < 3; page++) {
      let answer = { status: 0, body: { page: { nextCursor: '' } } };
      const plans = await plansOf(app, async () => (answer = await send(moderator, 'GET', path + cursor)));

      expect(answer.status).toBe(200);
      const [cases, ...parts] = plans;
      expect(cases).toMatchObject({ docsExamined: 3, nReturned: 3 });
      expect(cases!.plan).toContain(key);
      expect(cases!.plan).not.toMatch(/\bSORT\b/);
      // earlier reports, names and posts, by key
      for (const { plan, docsExamined, nReturned } of parts)
        expect([plan, docsExamined]).toEqual(['IXSCAN {"_id":1}', nReturned]);
      cursor = `&cursor=${answer.body.page.nextCursor}`;
    }
  });

  it('reads a case by key, its reports as one index range, and counts the cases of the author without documents', async () => {
    const readCase = () => send(moderator, 'GET', `moderation/cases/post-${posts[2]}`);

    const reports = await plansOf(app, readCase, 'reports');
    const [row, count] = await plansOf(app, readCase, 'report_cases');

    expect(reports).toMatchObject([{ docsExamined: 3, nReturned: 3 }]);
    expect(reports[0]!.plan).toBe('IXSCAN {"caseId":1,"createdAt":-1}');
    expect(row).toMatchObject({ docsExamined: 1, nReturned: 1 });
    expect(count).toMatchObject({ plan: expect.stringContaining('"ownerId":1'), docsExamined: 0 });
  });

  it('scans no collection when cases are claimed and dismissed, and when targets and reporters are deleted', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const [reporter] = reporters as [Person];

    const scans = await scansOf(app, async () => {
      await send(reporter, 'POST', 'reports', { targetKind: 'comment', targetId: comment.id, reason: 'hate' });
      await send(moderator, 'PUT', `moderation/cases/post-${posts[0]}/claim`);
      await send(moderator, 'DELETE', `moderation/cases/post-${posts[0]}/claim`);
      await send(moderator, 'POST', `moderation/cases/post-${posts[0]}/dismiss`, {});
      await world.deletePost(posts[1]!, { by: author });
      await world.deletePost(post.id, { by: author });
      await app.app.get(AccountsService).end(reporter._id);
      await drainTasks(app);
    });

    expect(scans).toEqual([]);
    const closed = await app.db.collection('report_cases').find({ state: 'closed' }).toArray();
    expect(closed.map(({ _id, outcome }) => `${String(_id)} ${outcome}`).sort()).toEqual(
      [`comment-${comment.id} deleted`, `post-${posts[0]} dismissed`, `post-${posts[1]} deleted`].sort(),
    );
    expect(await app.db.collection('reports').countDocuments({ reporterId: reporter._id })).toBe(0);
  });
});
