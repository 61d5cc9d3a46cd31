import { ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { MAX_REPORTS_PER_DAY, reportIdOf } from '../../src/reports/report-rules.js';
import type { Report } from '../../src/reports/report.schema.js';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
let author: Person;
let moderator: Person;
let colleague: Person;

beforeAll(async () => {
  author = await world.person();
  [moderator, colleague] = await world.people(2, { role: 'moderator' });
});

const send = (by: Person, method: string, path: string, body?: object): Promise<Answer> =>
  app.client.request(method, `/v1/${path}`, { token: by.token, ...(body ? { body } : {}) });
const report = (by: Person, targetKind: string, targetId: string, fields: object = {}) =>
  send(by, 'POST', 'reports', { targetKind, targetId, reason: 'spam', ...fields });
const caseOf = async (id: string) => (await send(moderator, 'GET', `moderation/cases/${id}`)).body;
const claim = (by: Person, id: string) => send(by, 'PUT', `moderation/cases/${id}/claim`);
const release = (by: Person, id: string) => send(by, 'DELETE', `moderation/cases/${id}/claim`);
const dismiss = (by: Person, id: string, body = {}) => send(by, 'POST', `moderation/cases/${id}/dismiss`, body);
const drain = () => app.app.get(TaskWorker).drain(AbortSignal.timeout(60_000));
/** Creates a post of the author that a new account has reported. */
const reported = async () => {
  const post = await world.post({ by: author });
  const reporter = await world.person();
  return { post, reporter, id: await world.report({ by: reporter, on: post.id }) };
};

describe('POST /v1/reports', () => {
  it('stores a report once per account and target, and returns the first one again', async () => {
    const post = await world.post({ by: author });
    const reporter = await world.person();

    const first = await report(reporter, 'post', post.id, { reason: 'hate', note: ' Look at\nthe end. ' });
    const second = await report(reporter, 'post', post.id, { reason: 'spam', note: 'Again.' });

    const about = { targetKind: 'post', targetId: post.id, reason: 'hate', note: 'Look at\nthe end.' };
    expect([first.status, first.body]).toEqual([201, { ...about, createdAt: expect.any(String) }]);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await caseOf(`post-${post.id}`)).toMatchObject({ reportsCount: 1, reasons: [{ reason: 'hate', count: 1 }] });
  });

  it('accepts posts, comments, collections and accounts, and copies what they contain', async () => {
    const reporter = await world.person();
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id, content: 'A comment.' });
    const list = { kind: 'list', title: 'Looms and engines', description: 'About looms.' };
    const collection = (await send(author, 'POST', 'collections', list)).body;

    const contents: [string, string, object][] = [
      ['post', post.id, { title: post.title, text: post.content }],
      ['comment', comment.id, { title: 'A comment.', text: 'A comment.' }],
      ['collection', collection.id, { title: collection.title, text: 'About looms.' }],
      ['user', author.id, { text: '' }],
    ];
    for (const [kind, id, content] of contents) {
      expect((await report(reporter, kind, id)).status).toBe(201);
      const found = await caseOf(`${kind}-${id}`);
      expect(found).toMatchObject({ targetKind: kind, targetId: id, ownerId: author.id, state: 'open', claim: null });
      expect(found.reported).toMatchObject({ ...content, username: author.username });
      expect(found.current).toEqual(found.reported);
    }
  });

  it('does not find what the account may not read', async () => {
    const reporter = await world.person();
    const hidden = await world.post({ by: author, isPublic: false });
    const comment = await world.comment({ by: author, on: hidden.id });
    const collection = await world.collection({ by: author, isPublic: false });
    const none = new ObjectId().toHexString();

    expectProblem(await report(reporter, 'post', hidden.id), 404, 'post_not_found');
    expectProblem(await report(reporter, 'comment', comment.id), 404, 'comment_not_found');
    expectProblem(await report(reporter, 'collection', collection.id), 404, 'collection_not_found');
    expectProblem(await report(reporter, 'user', none), 404, 'user_not_found');
  });

  it('does not find a deleted comment that keeps its place', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    await world.comment({ by: author, on: post.id, parentId: comment.id });
    await send(author, 'DELETE', `comments/${comment.id}`);

    expectProblem(await report(await world.person(), 'comment', comment.id), 404, 'comment_not_found');
  });

  it('refuses own content, and the own account', async () => {
    const post = await world.post({ by: author });

    expectProblem(await report(author, 'post', post.id), 403, 'report_self');
    expectProblem(await report(author, 'user', author.id), 403, 'report_self');
  });

  it('limits the reports of an account in 24 hours', async () => {
    const reporter = await world.person();
    const post = await world.post({ by: author });
    const rows = Array.from({ length: MAX_REPORTS_PER_DAY }, (_, at): Report => {
      const targetId = new ObjectId();
      const createdAt = new Date(Date.now() - (at === 0 ? 82_800_000 : 1_000));
      return {
        ...{ _id: reportIdOf('post', targetId, reporter._id), caseId: `post-${targetId.toHexString()}` },
        ...{ reporterId: reporter._id, reason: 'spam', note: '', weight: 1, createdAt, closedAt: null, outcome: null },
      };
    });
    await app.db.collection<Report>('reports').insertMany(rows);

    const refused = await report(reporter, 'post', post.id);
    await app.db.collection<Report>('reports').updateOne({ _id: rows[0]!._id }, { $set: { createdAt: new Date(0) } });
    const accepted = await report(reporter, 'post', post.id);

    expectProblem(refused, 429, 'rate_limited');
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(3_000);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
    expect(accepted.status).toBe(201);
  });
});

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
    expect((await caseOf(id)).claim).toEqual(again.body);
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

describe('the deletion of a target', () => {
  it('by a moderator closes its case in the same transaction', async () => {
    const reporter = await world.person();
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const collection = await world.collection({ by: author });
    for (const [kind, { id }] of Object.entries({ post, comment, collection })) await report(reporter, kind, id);

    await send(moderator, 'DELETE', `comments/${comment.id}`);
    await send(moderator, 'DELETE', `collections/${collection.id}`);
    await send(moderator, 'DELETE', `posts/${post.id}`);

    for (const [kind, { id }] of Object.entries({ post, comment, collection })) {
      const found = await caseOf(`${kind}-${id}`);
      expect(found).toMatchObject({ state: 'closed', outcome: 'deleted', current: null });
      expect(found.reported).not.toBeNull();
    }
  });

  it('by its author closes its case, and the cases of its comments', async () => {
    const { post, reporter, id } = await reported();
    const comment = await world.comment({ by: reporter, on: post.id });
    const reply = await world.comment({ by: author, on: post.id, parentId: comment.id });
    const ids = [`comment-${comment.id}`, `comment-${reply.id}`];
    await report(author, 'comment', comment.id);
    await report(reporter, 'comment', reply.id);

    await world.deletePost(post.id, { by: author });
    await drain();

    for (const one of [id, ...ids]) expect(await caseOf(one)).toMatchObject({ state: 'closed', outcome: 'deleted' });
  });

  it('with its thread closes the cases of all replies', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const reply = await world.comment({ by: author, on: post.id, parentId: comment.id });
    const reporter = await world.person();
    for (const { id } of [comment, reply]) await report(reporter, 'comment', id);

    await send(moderator, 'DELETE', `comments/${comment.id}?tree=true`);
    await drain();

    for (const { id } of [comment, reply])
      expect(await caseOf(`comment-${id}`)).toMatchObject({ state: 'closed', outcome: 'deleted' });
  });

  it('lowers the weight of no reporter', async () => {
    const { post, reporter } = await reported();
    await send(moderator, 'DELETE', `posts/${post.id}`);
    const other = await world.post({ by: author });

    expect((await caseOf(await world.report({ by: reporter, on: other.id }))).weight).toBe(1);
  });
});

describe('the deletion of an account', () => {
  it('closes the case about it, deletes its reports, and keeps their counts', async () => {
    const { reporter, id } = await reported();
    await report(author, 'user', reporter.id);

    await app.app.get(AccountsService).end(reporter._id);
    await drain();

    expect(await caseOf(`user-${reporter.id}`)).toMatchObject({ state: 'closed', outcome: 'deleted', current: null });
    expect(await caseOf(id)).toMatchObject({ state: 'open', reportsCount: 1, reports: [] });
  });
});

describe('closed cases', () => {
  it('expire with their reports after 30 days', async () => {
    for (const name of ['reports', 'report_cases']) {
      const indexes = await app.db.collection(name).indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { closedAt: 1 }, expireAfterSeconds: 30 * 86_400 }),
      );
    }
  });
});
