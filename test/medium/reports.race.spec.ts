import { ObjectId } from 'mongodb';
import { CasesService } from '../../src/reports/cases.service.js';
import { ReportsService } from '../../src/reports/reports.service.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

const REPORTERS = 50;

describe('concurrent reports of one target', () => {
  const app = useApp();
  const { world } = app;
  let other: TestApp;

  beforeAll(async () => {
    other = await startApp({ beside: app });
  });
  afterAll(() => other.close());

  const report = async (at: TestApp, { viewer }: Person, targetId: string) =>
    (await at.app.get(ReportsService).create(viewer, { targetKind: 'post', targetId, reason: 'spam' })).isNew;
  const caseOf = (postId: string) => app.db.collection('report_cases').findOne({ targetId: new ObjectId(postId) });

  it('are one case with exact counts, also if each account reports at two hosts', async () => {
    const [author, ...reporters] = await world.people(REPORTERS + 1);
    const { id } = await world.post({ by: author });

    const outcomes = await Promise.all(
      reporters.map((person) => Promise.all([report(app, person, id), report(other, person, id)])),
    );

    expect(outcomes.map((both) => both.filter(Boolean).length)).toEqual(reporters.map(() => 1));
    expect(await app.db.collection('report_cases').countDocuments()).toBe(1);
    expect(await caseOf(id)).toMatchObject({
      ...{ _id: `post-${id}`, state: 'open', reportsCount: REPORTERS, weight: REPORTERS },
      reasons: { spam: REPORTERS },
    });
    expect(await app.db.collection('reports').countDocuments({ caseId: `post-${id}` })).toBe(REPORTERS);
  });

  it('that race with a dismissal are dismissed, or counted by the case that they open again', async () => {
    const [author, ...reporters] = await world.people(21);
    const moderator = await world.person({ role: 'moderator' });
    const { id } = await world.post({ by: author });
    const [first, ...rest] = reporters as [Person, ...Person[]];
    await report(app, first, id);

    const reporting = rest.map((person, at) => report(at % 2 === 0 ? app : other, person, id));
    await app.app.get(CasesService).dismiss(`post-${id}`, moderator.viewer, '');
    await Promise.all(reporting);

    const open = await app.db.collection('reports').countDocuments({ caseId: `post-${id}`, closedAt: null });
    expect(await caseOf(id)).toMatchObject(
      open === 0 ? { state: 'closed', outcome: 'dismissed' } : { state: 'open', reportsCount: open },
    );
  });
});
