import { ObjectId } from 'mongodb';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainActivity, verbsOf } from '../support/verbs.js';

const app = useApp();
const { world } = app;
let author: Person;
let moderator: Person;
let colleague: Person;

beforeAll(async () => {
  author = await world.person();
  [moderator, colleague] = await world.people(2, { role: 'moderator' });
});

const { send } = verbsOf(app);
const report = (by: Person, targetKind: string, targetId: string, fields: object = {}) =>
  send(by, 'POST', 'reports', { targetKind, targetId, reason: 'spam', ...fields });
const caseOf = async (id: string) => (await send(moderator, 'GET', `moderation/cases/${id}`)).body;
const claim = (by: Person, id: string) => send(by, 'PUT', `moderation/cases/${id}/claim`);
const release = (by: Person, id: string) => send(by, 'DELETE', `moderation/cases/${id}/claim`);
const dismiss = (by: Person, id: string, body = {}) => send(by, 'POST', `moderation/cases/${id}/dismiss`, body);
/** Creates a post of the author that a new account has reported. */
const reported = async () => {
  const post = await world.post({ by: author });
  const reporter = await world.person();
  return { post, reporter, id: await world.report({ by: reporter, on: post.id }) };
};

describe('cases', () => {
  it('show the content as it was reported and as it is now, with the reports', async () => {
    const { post, reporter, id } = await reported();
    const other = await world.person();
    await world.editPost(post.id, { by: author, content: 'Harmless.' });
    await report(other, 'post', post.id, { reason: 'illegal', note: 'Stolen.' });

    const found = await caseOf(id);

    expect(found).toMatchObject({ id, title: post.title, weight: 2, reportsCount: 2, outcome: null, note: '' });
    expect([found.reported.text, found.current.text]).toEqual([post.content, 'Harmless.']);
    expect(found.reports).toMatchObject([
      { reporterId: other.id, reason: 'illegal', note: 'Stolen.', weight: 1, outcome: null },
      { reporterId: reporter.id, reason: 'spam', note: '', weight: 1, outcome: null },
    ]);
    expect(found.firstAt < found.lastAt).toBe(true);
  });

  it('do not contain the copied text in plain', async () => {
    const post = await world.post({ by: author, content: 'Plumbago capensis.' });
    const id = await world.report({ by: await world.person(), on: post.id });

    const row = await app.db.collection<{ _id: string }>('report_cases').findOne({ _id: id });

    expect(JSON.stringify(row)).not.toContain('Plumbago');
    expect((await caseOf(id)).reported.text).toBe('Plumbago capensis.');
  });

  it('count the other cases about the same account', async () => {
    const owner = await world.person();
    const reporter = await world.person();
    const posts = [await world.post({ by: owner }), await world.post({ by: owner })];
    const ids = [];
    for (const { id } of posts) ids.push(await world.report({ by: reporter, on: id }));
    await report(reporter, 'user', owner.id);

    expect((await caseOf(ids[0]!)).otherCasesCount).toBe(2);
  });

  it('have the HTML of a post and a comment as its readers see it, also after the deletion', async () => {
    const [owner, reporter] = [await world.person(), await world.person()];
    const post = await world.post({ by: owner, content: '*Cheap* <script>alert(1)</script>' });
    const comment = await world.comment({ by: owner, on: post.id, content: 'Very **cheap**.' });
    const id = await world.report({ by: reporter, on: post.id });
    await report(reporter, 'comment', comment.id);
    await report(reporter, 'user', owner.id);
    const htmlOf = async (of: string) => (await caseOf(of)).html;

    expect(await htmlOf(id)).toMatch(/^<p><em>Cheap<\/em>/);
    expect(await htmlOf(id)).not.toContain('<script');
    expect(await htmlOf(`comment-${comment.id}`)).toContain('<strong>cheap</strong>');
    expect(await htmlOf(`user-${owner.id}`)).toBeNull();
    await world.deletePost(post.id, { by: owner });
    expect(await htmlOf(id)).toMatch(/^<p><em>Cheap<\/em>/);
  });

  it('are listed by state, kind, weight and age', async () => {
    const [heavy, light] = [await reported(), await reported()];
    await report(await world.person(), 'post', heavy.post.id);
    const idsOf = async (query: string): Promise<string[]> => {
      const { data } = (await send(moderator, 'GET', `moderation/cases?limit=100&${query}`)).body;
      return data.map(({ id }: { id: string }) => id).filter((id: string) => [heavy.id, light.id].includes(id));
    };

    expect(await idsOf('')).toEqual([heavy.id, light.id]);
    expect(await idsOf('kind=post&sort=weight')).toEqual([heavy.id, light.id]);
    expect(await idsOf('sort=oldest')).toEqual([heavy.id, light.id]);
    expect(await idsOf('kind=comment')).toEqual([]);
    await dismiss(moderator, heavy.id);
    expect([await idsOf(''), await idsOf('state=closed')]).toEqual([[light.id], [heavy.id]]);
  });

  it('are not found by an id without a report, and an id of another form is invalid', async () => {
    const none = new ObjectId().toHexString();

    expectProblem(await send(moderator, 'GET', `moderation/cases/post-${none}`), 404, 'case_not_found');
    for (const id of [none, `draft-${none}`, `post-${none}0`])
      expectProblem(await send(moderator, 'GET', `moderation/cases/${id}`), 400, 'invalid_id');
  });
});

describe('claims', () => {
  it('reserve a case for one moderator, who can extend and release it', async () => {
    const { id } = await reported();

    const claimed = await claim(moderator, id);
    const again = await claim(moderator, id);

    expect([claimed.status, claimed.body.moderatorId]).toEqual([200, moderator.id]);
    expect(again.body.until >= claimed.body.until).toBe(true);
    expect((await caseOf(id)).claim).toMatchObject(again.body);
    for (const act of [claim, release, dismiss]) expectProblem(await act(colleague, id), 409, 'case_claimed');
    for (let times = 0; times < 2; times++) expect((await release(moderator, id)).status).toBe(204);
    expect((await claim(colleague, id)).status).toBe(200);
  });

  it('end after 15 minutes', async () => {
    const { id } = await reported();
    const { body } = await claim(moderator, id);
    expect(Date.parse(body.until) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    const expired = { $set: { claimedUntil: new Date(Date.now() - 1) } };
    await app.db.collection<{ _id: string }>('report_cases').updateOne({ _id: id }, expired);

    expect((await caseOf(id)).claim).toBeNull();
    expect((await claim(colleague, id)).status).toBe(200);
  });
});

describe('a dismissal', () => {
  it('closes the case with a note and an entry of the log', async () => {
    const { post, id } = await reported();

    expect((await dismiss(moderator, id, { note: 'A quarrel.' })).status).toBe(204);

    const found = await caseOf(id);
    expect(found).toMatchObject({ state: 'closed', outcome: 'dismissed', note: 'A quarrel.', claim: null });
    expect(found.closedAt).toEqual(expect.any(String));
    expect(found.reports).toMatchObject([{ outcome: 'dismissed' }]);
    const { data } = (await send(moderator, 'GET', `admin/log?targetId=${post.id}`)).body;
    expect(data).toMatchObject([{ kind: 'dismiss_reports', actorId: moderator.id, targetKind: 'post', detail: null }]);
    expectProblem(await dismiss(moderator, id), 409, 'case_closed');
    expectProblem(await claim(moderator, id), 409, 'case_closed');
  });

  it('halves the weight of the reporter, down to 0.1', async () => {
    const reporter = await world.person();
    const weights: number[] = [];

    for (let times = 0; times < 6; times++) {
      const post = await world.post({ by: author });
      const id = await world.report({ by: reporter, on: post.id });
      weights.push((await caseOf(id)).weight);
      await dismiss(moderator, id);
    }

    expect(weights).toEqual([1, 0.5, 0.25, 0.125, 0.1, 0.1]);
  });

  it('is final for its reporters; a report of another account opens the case again with new counts', async () => {
    const { post, reporter, id } = await reported();
    await dismiss(moderator, id, { note: 'Fine.' });

    expect((await report(reporter, 'post', post.id)).status).toBe(200);
    expect((await caseOf(id)).state).toBe('closed');

    await report(await world.person(), 'post', post.id, { reason: 'violence' });
    const found = await caseOf(id);
    expect(found).toMatchObject({ state: 'open', outcome: null, closedAt: null, note: '', reportsCount: 1, weight: 1 });
    expect(found.reasons).toEqual([{ reason: 'violence', count: 1 }]);
    expect(found.reports).toMatchObject([{ outcome: null }, { outcome: 'dismissed' }]);
  });

  it('is refused to a moderator about own content', async () => {
    const post = await world.post({ by: moderator });
    const id = await world.report({ by: await world.person(), on: post.id });

    for (const act of [claim, dismiss]) expectProblem(await act(moderator, id), 403, 'forbidden');
    expect((await dismiss(colleague, id)).status).toBe(204);
  });
});

describe('the notification of a case', () => {
  const notified = async (by: Person): Promise<any[]> => {
    await drainActivity(app);
    const { data } = (await send(by, 'GET', 'notifications?kind=case')).body;
    return data.map((one: { case: object; isRead: boolean }) => ({ ...one.case, isRead: one.isRead }));
  };
  const ids = async (by: Person): Promise<string[]> => (await notified(by)).map(({ id }) => id);

  it('lists the case for moderators while it is open', async () => {
    const { post, reporter, id } = await reported();
    await report(await world.person(), 'post', post.id);

    const opened = await notified(moderator);
    const others = [await ids(colleague), await ids(author), await ids(reporter)];
    await send(moderator, 'PUT', 'notifications/read', {});
    await dismiss(moderator, id);
    const closed = await ids(moderator);
    await report(await world.person(), 'post', post.id);

    expect(opened).toContainEqual({
      ...{ id, targetKind: 'post', targetId: post.id, title: post.title, reportsCount: 2, isRead: false },
    });
    expect(others).toEqual([expect.arrayContaining([id]), [], []]);
    expect(closed).not.toContain(id);
    expect((await notified(moderator))[0]).toMatchObject({ id, reportsCount: 1, isRead: false });
  });

  it('does not list a case about a moderator for that moderator', async () => {
    const id = `user-${moderator.id}`;
    await report(await world.person(), 'user', moderator.id);

    expect([await ids(moderator), await ids(colleague)]).toEqual([
      expect.not.arrayContaining([id]),
      expect.arrayContaining([id]),
    ]);
  });
});
