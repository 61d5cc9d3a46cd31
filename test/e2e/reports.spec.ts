import { ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { MAX_REPORTS_PER_DAY, reportIdOf } from '../../src/reports/report-rules.js';
import type { Report } from '../../src/reports/report.schema.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainTasks, verbsOf } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
let author: Person;
let moderator: Person;

beforeAll(async () => {
  author = await world.person();
  moderator = await world.person({ role: 'moderator' });
});

const { send } = verbsOf(app);
const report = (by: Person, targetKind: string, targetId: string, fields: object = {}) =>
  send(by, 'POST', 'reports', { targetKind, targetId, reason: 'spam', ...fields });
const caseOf = async (id: string) => (await send(moderator, 'GET', `moderation/cases/${id}`)).body;
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

describe('the deletion of a target', () => {
  it('by its author closes its case, and the cases of its comments', async () => {
    const { post, reporter, id } = await reported();
    const comment = await world.comment({ by: reporter, on: post.id });
    const reply = await world.comment({ by: author, on: post.id, parentId: comment.id });
    const ids = [`comment-${comment.id}`, `comment-${reply.id}`];
    await report(author, 'comment', comment.id);
    await report(reporter, 'comment', reply.id);

    await world.deletePost(post.id, { by: author });
    await drainTasks(app);

    for (const one of [id, ...ids]) expect(await caseOf(one)).toMatchObject({ state: 'closed', outcome: 'deleted' });
  });

  it('with its thread closes the cases of all replies', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const reply = await world.comment({ by: author, on: post.id, parentId: comment.id });
    const reporter = await world.person();
    for (const { id } of [comment, reply]) await report(reporter, 'comment', id);

    await send(author, 'DELETE', `comments/${comment.id}?tree=true`);
    await drainTasks(app);

    for (const { id } of [comment, reply])
      expect(await caseOf(`comment-${id}`)).toMatchObject({ state: 'closed', outcome: 'deleted' });
  });

  it('lowers the weight of no reporter', async () => {
    const { post, reporter } = await reported();
    await world.deletePost(post.id, { by: author });
    await drainTasks(app);
    const other = await world.post({ by: author });

    expect((await caseOf(await world.report({ by: reporter, on: other.id }))).weight).toBe(1);
  });
});

describe('the deletion of an account', () => {
  it('closes the case about it, deletes its reports, and keeps their counts', async () => {
    const { reporter, id } = await reported();
    await report(author, 'user', reporter.id);

    await app.app.get(AccountsService).end(reporter._id);
    await drainTasks(app);

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
