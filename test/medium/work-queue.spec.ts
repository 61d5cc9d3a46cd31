import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Collection, type Document, ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { JobsRunner } from '../../src/platform/jobs/jobs-runner.js';
import type { Topic } from '../../src/common/topic.js';
import { LANE_NAMES, LANES } from '../../src/platform/work-queue/lanes.js';
import { type HandlerContext, TaskHandlers } from '../../src/platform/work-queue/task-handlers.js';
import { INLINE_TIMEOUT_MS } from '../../src/platform/work-queue/task-runner.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { eventId } from '../../src/views/event-keys.js';
import { POST_EVENTS } from '../../src/views/post-event.schema.js';
import { TASKS_JOB } from '../../src/platform/work-queue/task.schema.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { COMMENT_DELETED } from '../../src/comments/comments.events.js';
import { DRAFT_EXPIRED } from '../../src/drafts/drafts.events.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { ACCOUNT_ENDED, AUTHOR_CHANGED } from '../../src/users/users.events.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { ReceivedLikesService } from '../../src/users/received-likes.service.js';
import type { TaskKey } from '../../src/platform/mongo/transaction-rows.js';

const never = new AbortController().signal;
const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

/**
 * Returns everything in the database that contains the id in any field and does not expire within a minute, except the task of the trash,
 * which has only the id.
 */
async function traces(app: TestApp, id: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await app.db.listCollections().toArray()) {
    const rows: Document[] = await app.db
      .collection(name)
      .find({ expiresAt: null, topic: { $ne: DRAFT_EXPIRED.name } })
      .toArray();
    const needle = Buffer.from(id, 'hex');
    for (const row of rows) {
      const isBinaryKey = row._id?._bsontype === 'Binary' && Buffer.from(row._id.buffer).includes(needle);
      if (isBinaryKey || JSON.stringify(row).includes(id)) found.push(name);
    }
  }
  return found;
}

const publisher =
  (app: TestApp) =>
  async (by: { token: string }, fields: object = {}): Promise<string> => {
    const body = { title: 'Delete me', content: 'Text.', type: 'article', ...fields };
    const answer = await app.client.post('/v1/posts', { token: by.token, body });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };

async function differences(app: TestApp): Promise<unknown[]> {
  const found: unknown[] = [];
  await app.app.get(AuditService).audit((difference) => void found.push(difference));
  return found;
}

describe('a long background task', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });

  it('does not delay foreground tasks that are added during a pass', async () => {
    const [slow, soon]: Topic<ObjectId>[] = [{ name: 'test.slow' }, { name: 'test.soon' }];
    const handlers = app.app.get(TaskHandlers);
    let end = (): void => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    const ran: string[] = [];
    const note = (name: string) => async (): Promise<void> => void ran.push(name);
    handlers.register(slow!, { name: 'slow', run: () => note('slow begins')().then(() => held) });
    handlers.register(soon!, { name: 'soon', lane: 'foreground', run: note('soon') });
    const add = (topic: Topic<ObjectId>) =>
      app.app.get(MongoService).transaction((tx) => tx.addTask(topic, new ObjectId()));
    await add(slow!);
    const work = app.app.get(TaskWorker).work(never);
    await until(() => (ran.length > 0 ? true : null));
    await add(soon!);
    await until(() => (ran.includes('soon') ? true : null));
    end();
    expect(await work).toMatchObject({ done: 2, failed: 0 });
  });
});

describe('the lanes of the work queue', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '100000' } });
  const handlers = () => app.app.get(TaskHandlers);
  const addMany = <P>(topic: Topic<P>, payloads: P[], keysOf?: (payload: P) => TaskKey[]) =>
    app.app.get(MongoService).transaction((tx) => tx.addTasks(topic, payloads, keysOf && { keysOf }));
  const tasks = () => app.db.collection('tasks');

  it('let a task start beside very many of another cause', async () => {
    const topic: Topic<string> = { name: 'test.fair' };
    const started: string[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const run = async ({ payload }: HandlerContext<string>): Promise<void> => {
      started.push(payload);
      if (payload === 'many' && started.length <= LANES.fanout.places) await held;
    };
    handlers().register(topic, { name: 'test', lane: 'fanout', run });
    await addMany(topic, Array<string>(20).fill('many'), () => ['cause:many']);
    await addMany(topic, ['one'], () => ['cause:one']);

    const work = app.app.get(TaskWorker).work(never);
    await until(() => started.includes('one') || null);
    expect(started).toEqual(['many', 'one']);
    release();

    expect(await work).toMatchObject({ done: 21, failed: 0 });
  });

  it('run tasks about the same thing in the order of their commits, one after the other', async () => {
    const topic: Topic<ObjectId> = { name: 'test.same' };
    const [running, order] = [new Set<string>(), [] as string[]];
    handlers().register(topic, {
      name: 'test',
      lane: 'foreground',
      run: async ({ id, payload }) => {
        const same = String(payload);
        expect(running.has(same)).toBe(false);
        running.add(same);
        order.push(id.toHexString());
        await sleep(5);
        running.delete(same);
      },
    });
    const [a, b] = [new ObjectId(), new ObjectId()];
    const added: string[] = [];
    for (const payload of [a, a, b, a, b, a]) {
      const [task] = await addMany(topic, [payload]);
      added.push(task!._id.toHexString());
    }

    expect(await app.app.get(TaskWorker).work(never)).toMatchObject({ done: 6, failed: 0 });

    const ofA = (ids: string[]): string[] => ids.filter((id) => [0, 1, 3, 5].includes(added.indexOf(id)));
    expect(ofA(order)).toEqual(ofA(added));
  });

  it('run the handlers of a topic in one lane after the other, also for a task of an earlier version', async () => {
    const topic: Topic<ObjectId> = { name: 'test.lanes' };
    const ran: string[] = [];
    for (const lane of ['background', 'fanout', 'foreground'] as const)
      handlers().register(topic, { name: lane, lane, run: async () => void ran.push(lane) });
    const moved: Topic<ObjectId> = { name: 'test.moved' };
    handlers().register(moved, { name: 'moved', lane: 'mail', run: async () => void ran.push('moved') });
    const now = new Date();
    const fields = {
      payload: new ObjectId(),
      lane: 'foreground',
      dueAt: now,
      runAt: now,
      attempts: 0,
      lastError: null,
    };
    await tasks().insertMany([topic, moved].map(({ name }) => ({ ...fields, topic: name })));

    await app.app.get(TaskWorker).work(never);

    expect(ran.filter((name) => name !== 'moved')).toEqual(['foreground', 'fanout', 'background']);
    expect([ran.includes('moved'), await tasks().countDocuments()]).toEqual([true, 0]);
  });

  it('continue a failed task at the position that it has reached, without the handlers before', async () => {
    const topic: Topic<ObjectId> = { name: 'test.position' };
    const ran: unknown[] = [];
    let isBroken = true;
    handlers().register(topic, { name: 'first', lane: 'fanout', run: async () => void ran.push('first') });
    handlers().register(topic, {
      name: 'second',
      lane: 'fanout',
      run: async ({ position, throttle }) => {
        for (let at = (position as number | undefined) ?? 0; at < 4; at++) {
          if (at === 2 && isBroken) throw new Error('out of order');
          ran.push(at);
          await throttle(1, at + 1);
        }
      },
    });
    await addMany(topic, [new ObjectId()]);

    expect(await app.app.get(TaskWorker).work(never)).toMatchObject({ done: 0, failed: 1 });
    isBroken = false;
    await tasks().updateOne({ topic: topic.name }, { $set: { runAt: new Date() } });
    expect(await app.app.get(TaskWorker).work(never)).toMatchObject({ done: 1, failed: 0 });

    expect(ran).toEqual(['first', 0, 1, 2, 3]);
  });

  it('move a slow task aside without counting an attempt', async () => {
    const topic: Topic<ObjectId> = { name: 'test.slow-host' };
    const ran: string[] = [];
    handlers().register(topic, {
      name: 'test',
      lane: 'push',
      run: async ({ lane, attempt }) => {
        ran.push(`${lane} ${attempt}`);
        return lane === 'push' ? 'slow' : undefined;
      },
    });
    await addMany(topic, [new ObjectId()]);

    await app.app.get(TaskWorker).work(never);

    expect([ran, await tasks().countDocuments()]).toEqual([['push 1', 'pushSlow 1'], 0]);
  });
});

describe('the work queue, without a delay', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '100000' } });
  const { world } = app;
  const publishBy = (by: { token: string }, fields?: object) => publisher(app)(by, fields);
  let author: Person;
  let readers: Person[];
  const worker = () => app.app.get(TaskWorker);
  const add = (topic: Topic<ObjectId>, id: ObjectId) =>
    app.app.get(MongoService).transaction((tx) => tx.addTask(topic, id));

  beforeAll(async () => {
    author = await world.person();
    readers = await world.people(6);
  });

  it('leaves nothing of a deleted post, and everything of another one', async () => {
    const [gone, kept] = [await publishBy(author), await publishBy(author)];
    await app.client.put(`/v1/users/me/featured/${gone}`, { token: author.token });
    for (const { token } of readers) {
      for (const id of [gone, kept]) {
        await app.client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
        await app.client.put(`/v1/posts/${id}/save`, { token });
        await app.client.post(`/v1/posts/${id}/events`, { token, body: { kind: 'view' } });
        const comment = await app.client.post(`/v1/posts/${id}/comments`, { token, body: { content: 'Well.' } });
        await app.client.put(`/v1/comments/${comment.body.id}/vote`, { token, body: { value: 'like' } });
      }
    }
    const before = (await app.client.get(`/v1/posts/${kept}`, { token: author.token })).body;
    expect(before.stats).toMatchObject({ likesCount: 6, commentsCount: 6, viewsCount: 6 });
    await app.world.deletePost(gone, { by: author });
    expect(await differences(app)).toEqual([]);
    const report = await worker().drain(never);
    expect(report.failed).toBe(0);
    expect(report.rows).toBeGreaterThan(6 * 4);
    expect(await traces(app, gone)).toEqual([]);
    expect((await app.client.get(`/v1/posts/${kept}`, { token: author.token })).body).toEqual(before);
    expect(await differences(app)).toEqual([]);
    expect(await worker().backlog()).toEqual({ rows: 0, oldestAgeMs: 0, failing: 0, byTopic: {} });
  });

  it('hides the posts of a deleted account immediately and deletes them later', async () => {
    const writer = await signUp(app.client);
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await publishBy(writer, { isPublic: i !== 2 }));
    await app.client.put(`/v1/posts/${ids[0]}/vote`, { token: readers[0]!.token, body: { value: 'like' } });
    await app.client.get(`/v1/posts/${ids[0]}`);
    const ended = await app.client.delete('/v1/users/me', { token: writer.token, body: { password: TEST_PASSWORD } });
    expect(ended.status).toBe(204);
    for (const id of ids) expect((await app.client.get(`/v1/posts/${id}`)).status).toBe(404);
    expect(await differences(app)).toEqual([]);
    await worker().drain(never);
    for (const id of ids) expect(await traces(app, id)).toEqual([]);
    expect(await differences(app)).toEqual([]);
  });

  it('responds to an account deletion when no read and no count has it', async () => {
    const [writer, friend] = [await signUp(app.client), await signUp(app.client)];
    const [mine, theirs] = [await publishBy(writer), await publishBy(author)];
    const { token } = writer;
    const comments = [];
    for (const post of [mine, theirs]) {
      const answer = await app.client.post(`/v1/posts/${post}/comments`, { token, body: { content: 'Mine.' } });
      comments.push(answer.body.id);
      await app.client.put(`/v1/posts/${post}/vote`, { token, body: { value: 'like' } });
    }
    await app.client.put(`/v1/comments/${comments[1]}/vote`, { token, body: { value: 'like' } });
    await app.client.put(`/v1/users/${friend.username}/follow`, { token });
    await app.client.put(`/v1/users/${writer.username}/follow`, { token: friend.token });
    // Caches responses of the rows that are about to be deleted.
    await app.client.get(`/v1/users/${writer.username}/posts`);
    await app.client.get(`/v1/posts/${theirs}/comments`);
    // Reads the database, because a cached profile shows its counts until it expires.
    const statsOf = async ({ username }: { username: string }) => {
      await app.app.get(ReceivedLikesService).fold(never);
      return (await app.db.collection('users').findOne({ username }))!['stats'];
    };
    const likes = (await statsOf(author)).likesReceivedCount;

    const ended = await app.client.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } });
    expect(ended.status).toBe(204);

    for (const path of [`users/${writer.username}/posts`, `posts/${mine}`, `comments/${comments[0]}`])
      expect((await app.client.get(`/v1/${path}`)).status).toBe(404);
    expect((await app.client.get(`/v1/comments/${comments[1]}`)).status).toBe(404);
    expect((await app.client.get(`/v1/posts/${theirs}/comments`)).body.data).toEqual([]);
    const { body: feed } = await app.client.get('/v1/feed?sort=latest&limit=50');
    const ids: string[] = feed.data.map((card: { id: string }) => card.id);
    expect(ids).toContain(theirs);
    expect(ids).not.toContain(mine);
    const { body: post } = await app.client.get(`/v1/posts/${theirs}`, { token: author.token });
    expect(post.stats).toMatchObject({ likesCount: 0, commentsCount: 0 });
    expect((await statsOf(author)).likesReceivedCount).toBe(likes - 1);
    expect(await statsOf(friend)).toMatchObject({ followersCount: 0, followingCount: 0 });
    for (const list of ['followers', 'following'])
      expect((await app.client.get(`/v1/users/${friend.username}/${list}`)).body.data).toEqual([]);
    expect(await differences(app)).toEqual([]);
    await worker().drain(never);
    expect(await differences(app)).toEqual([]);
  });

  it('responds to an account deletion that fails and retries it later', async () => {
    const writer = await signUp(app.client);
    const id = await publishBy(writer);
    // Runs the tasks of the publication.
    await worker().work(never);
    let isBroken = true;
    app.app.get(TaskHandlers).register(ACCOUNT_ENDED, {
      name: 'test: breaks',
      lane: 'foreground',
      order: 0,
      run: async ({ payload: targetId }) => {
        if (isBroken && targetId.toHexString() === writer.id) throw new Error('out of order');
      },
    });
    const end = { token: writer.token, body: { password: TEST_PASSWORD } };
    expect((await app.client.delete('/v1/users/me', end)).status).toBe(204);
    isBroken = false;
    const queue = app.db.collection('tasks');
    const task = (await queue.findOne({ payload: new ObjectId(writer.id) }))!;
    expect(task).toMatchObject({ lane: 'foreground', attempts: 0 });
    expect(task['runAt'].getTime() - task['dueAt'].getTime()).toBe(INLINE_TIMEOUT_MS);
    // The task stays reserved for the request, which a slow machine may run for longer.
    await queue.updateOne({ _id: task._id }, { $set: { runAt: inAnHour() } });
    expect((await worker().work(never)).done).toBe(0);
    await queue.updateOne({ _id: task._id }, { $set: { runAt: new Date() } });
    await worker().work(never);
    expect((await app.client.get(`/v1/posts/${id}`)).status).toBe(404);
    await worker().drain(never);
    expect(await differences(app)).toEqual([]);
  });

  it('updates every copy of a renamed author and nothing else', async () => {
    const writer = await signUp(app.client);
    const ids = [await publishBy(writer), await publishBy(writer), await publishBy(writer, { isPublic: false })];
    const rows = () =>
      app.db
        .collection('posts')
        .find({ authorId: new ObjectId(writer.id) })
        .sort({ _id: 1 })
        .toArray();
    const before = await rows();
    for (const id of ids.slice(0, 2)) await app.client.get(`/v1/posts/${id}`);
    await app.client.get(`/v1/users/${writer.username}/posts`);
    const username = `x${writer.username}`.slice(0, 16);
    const renamed = await app.client.patch('/v1/users/me', {
      token: writer.token,
      body: { username, fullName: 'Someone Else' },
    });
    expect(renamed.status).toBe(200);
    await worker().drain(never);
    const author = { id: writer.id, username, fullName: 'Someone Else', profilePicture: null };
    for (const id of ids) {
      expect((await app.client.get(`/v1/posts/${id}`, { token: writer.token })).body.author).toEqual(author);
    }
    expect((await app.client.get(`/v1/posts/${ids[0]}`)).body.author).toEqual(author);
    for (const name of [username, writer.username]) {
      const list = await app.client.get(`/v1/users/${name}/posts`);
      expect(list.body.data.map((card: { author: object }) => card.author)).toEqual([author, author]);
    }
    const { id: _, ...authorSnapshot } = author;
    expect(await rows()).toEqual(before.map((row) => ({ ...row, authorSnapshot })));

    await add(AUTHOR_CHANGED, new ObjectId(writer.id));
    expect((await worker().drain(never)).rows).toBe(0);
  });

  it('continues with the others when one task fails, logs it, and retries it', async () => {
    const id = await publishBy(author);
    const broken = new ObjectId();
    let isBroken = true;
    app.app.get(TaskHandlers).register(COMMENT_DELETED, {
      name: 'test: breaks',
      order: 0,
      run: async ({ payload: targetId }) => {
        if (isBroken && targetId.equals(broken)) throw new Error('out of order');
      },
    });
    await add(COMMENT_DELETED, broken);
    await app.world.deletePost(id, { by: author });
    expect((await worker().work(never)).failed).toBe(1);
    expect(await traces(app, id)).toEqual([]);
    expect(await worker().backlog()).toMatchObject({ rows: 1, failing: 1, byTopic: { [COMMENT_DELETED.name]: 1 } });
    const queue = app.db.collection('tasks');
    const failed = { topic: COMMENT_DELETED.name };
    const task = (await queue.findOne(failed))!;
    expect(task).toMatchObject({ attempts: 1, lastError: 'out of order' });
    expect(task['runAt'].getTime() - task['dueAt'].getTime()).toBeGreaterThanOrEqual(5_000);
    isBroken = false;
    // The task waits until it is due.
    await queue.updateOne(failed, { $set: { runAt: inAnHour() } });
    expect((await worker().work(never)).done).toBe(0);
    await queue.updateOne(failed, { $set: { runAt: new Date() } });
    await worker().work(never);
    expect((await worker().backlog()).rows).toBe(0);
  });

  it('keeps rows that changed between the read and the deletion', async () => {
    const things = app.db.collection<{ _id: number; isOver: boolean }>('things');
    await things.insertMany([1, 2].map((_id) => ({ _id, isOver: true })));
    const topic: Topic<ObjectId> = { name: 'test.things' };
    const run = ({ deleteInBatches }: HandlerContext) => deleteInBatches('things', { isOver: true });
    app.app.get(TaskHandlers).register(topic, { name: 'test', run });
    await add(topic, new ObjectId());
    const deleting = jest.spyOn(Collection.prototype, 'deleteMany').mockImplementationOnce(async function (
      this: Collection,
      ...given
    ) {
      await things.updateOne({ _id: 2 }, { $set: { isOver: false } });
      return this.deleteMany(...given);
    });
    expect((await worker().work(never)).failed).toBe(0);
    deleting.mockRestore();
    expect(await things.find().toArray()).toEqual([{ _id: 2, isOver: false }]);
  });

  it('never removes a post that is not deleted, even if a row names it', async () => {
    const id = await publishBy(author);
    await add(POST_DELETED, new ObjectId(id));
    expect((await worker().work(never)).failed).toBe(1);
    expect((await app.client.get(`/v1/posts/${id}`)).status).toBe(200);
    await app.db.collection('tasks').deleteMany({});
  });

  it('finds the next task by an index range, for any number of others', async () => {
    const [dueAt, runAt] = [new Date(), inAnHour()];
    const fields = { topic: 'test', payload: null, dueAt, runAt, attempts: 0, lastError: null };
    const rows = Array.from({ length: 500 }, () => ({ ...fields, _id: new ObjectId(), lane: 'background' }));
    await app.db.collection('tasks').insertMany(rows);
    const commands: Document[] = [];
    const client = app.app.get(MongoService).client;
    const onStarted = ({ command }: { command: Document }) =>
      void ((command['find'] ?? command['findAndModify']) === 'tasks' && commands.push(command));
    client.on('commandStarted', onStarted);
    await worker().dueInMs();
    await worker().work(never);
    client.off('commandStarted', onStarted);
    expect(commands).toHaveLength(2 + LANE_NAMES.length);
    for (const { find, findAndModify, filter, query, sort } of commands) {
      const explain = { find: find ?? findAndModify, filter: filter ?? query, limit: 1, ...(sort && { sort }) };
      const { executionStats } = await app.db.command({ explain, verbosity: 'executionStats' });
      // The time of the next task is read from its row.
      expect(executionStats.totalDocsExamined).toBe(find === undefined ? 0 : 1);
    }
    await app.db.collection('tasks').deleteMany({ topic: 'test' });
  });

  it('is claimed by one of several concurrent claims', async () => {
    const topic: Topic<ObjectId> = { name: 'test.claimed' };
    app.app.get(TaskHandlers).register(topic, { name: 'test', run: async () => {} });
    const { _id } = await add(topic, new ObjectId());
    const claims = await Promise.all(Array.from({ length: 5 }, () => worker()['claim']('background')));
    expect(claims.filter((task) => task?._id.equals(_id))).toHaveLength(1);
    await app.db.collection('tasks').deleteOne({ _id });
  });

  it('runs once among any number of processes', async () => {
    const second = await startApp({ beside: app });
    try {
      let running = 0;
      let most = 0;
      let release = (): void => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const work = async (): Promise<void> => {
        most = Math.max(most, ++running);
        if (running > 1) release();
        // Runs until the other process has been refused, or runs as well.
        await released;
        running--;
      };
      const outcomes = await Promise.all(
        [app, second].map(async (each) => {
          const outcome = await each.app.get(JobsRunner).run(TASKS_JOB, work);
          release();
          return outcome;
        }),
      );
      expect(outcomes.sort()).toEqual(['done', 'held elsewhere']);
      expect(most).toBe(1);
    } finally {
      await second.close();
    }
  });
});

describe('the work queue, at its own pace', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '3600000', CLEANUP_ROWS_PER_SECOND: '40' } });
  const { world } = app;
  const publishBy = (by: { token: string }) => publisher(app)(by);

  async function deletedPostWithEvents(count: number): Promise<{ id: string; author: Person }> {
    const author = await world.person();
    const id = await publishBy(author);
    // Runs the tasks of the publication.
    await app.app.get(TaskWorker).work(never);
    const postId = new ObjectId(id);
    const rows = Array.from({ length: count }, (_, viewer) => ({
      _id: eventId('key', `u:${viewer}`, postId, 'view', new Date(viewer % 2 === 0 ? 2e12 : 2.1e12)) as never,
      postId,
    }));
    await app.db.collection(POST_EVENTS).insertMany(rows);
    await app.world.deletePost(id, { by: author });
    // Runs the task of the hidden post. That of the deleted post waits.
    await app.app.get(TaskWorker).work(never);
    return { id, author };
  }
  const age = () =>
    app.db.collection('tasks').updateMany({ topic: POST_DELETED.name }, { $set: { runAt: new Date() } });
  const events = (id: string) => app.db.collection(POST_EVENTS).countDocuments({ postId: new ObjectId(id) });

  it('waits until every older transaction has ended', async () => {
    const { id } = await deletedPostWithEvents(1);
    const worker = app.app.get(TaskWorker);
    expect(await worker.work(never)).toEqual({ done: 0, failed: 0, rows: 0 });
    expect(await events(id)).toBe(1);
    expect(await worker.backlog()).toMatchObject({ rows: 1, byTopic: { [POST_DELETED.name]: 1 } });
    await age();
    expect((await worker.work(never)).done).toBe(1);
    expect(await traces(app, id)).toEqual([]);
  });

  it('keeps its rate, and continues where it was stopped', async () => {
    const { id } = await deletedPostWithEvents(240);
    await age();
    const stop = new AbortController();
    const worker = app.app.get(TaskWorker);
    const stopped = expect(worker.work(stop.signal)).rejects.toThrow('killed');
    while ((await events(id)) === 240) await sleep(5);
    stop.abort(new Error('killed'));
    await stopped;
    const left = await events(id);
    // Batches of ten, four a second.
    expect([left > 0, left < 240, left % 10]).toEqual([true, true, 0]);
    expect((await worker.backlog()).rows).toBe(1);
    await age();
    const started = performance.now();
    await worker.work(never);
    expect(performance.now() - started).toBeGreaterThanOrEqual((left / 40) * 1_000 * 0.9);
    expect(await traces(app, id)).toEqual([]);
  });
});

describe('the work queue, slow', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '3600000', CLEANUP_ROWS_PER_SECOND: '40' } });
  const { world } = app;
  const publishBy = (by: { token: string }) => publisher(app)(by);

  it('responds to the deletion of a large account before all is deleted', async () => {
    const [writer, reader] = [await signUp(app.client), await world.person()];
    const post = await publishBy(reader);
    const comment = await app.client.post(`/v1/posts/${post}/comments`, {
      token: writer.token,
      body: { content: 'One of many.' },
    });
    const row = (await app.db.collection('comments').findOne({ _id: new ObjectId(comment.body.id as string) }))!;
    const more = Array.from({ length: 299 }, () => ({ ...row, _id: new ObjectId() }));
    await app.db.collection('comments').insertMany(more);
    const $inc = { 'stats.commentsCount': more.length };
    await app.db.collection('posts').updateOne({ _id: new ObjectId(post) }, { $inc });
    const left = () => app.db.collection('comments').countDocuments({ authorId: row.authorId, deletedAt: null });

    const started = performance.now();
    const end = { token: writer.token, body: { password: TEST_PASSWORD } };
    expect((await app.client.delete('/v1/users/me', end)).status).toBe(204);
    expect(performance.now() - started).toBeGreaterThan(INLINE_TIMEOUT_MS);
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(300);
    expect(await differences(app)).toEqual([]);
    await app.app.get(TaskWorker).work(never);
    expect(await left()).toBe(0);
    expect(await differences(app)).toEqual([]);
  });
});

describe('the work queue, by the clock', () => {
  it('runs in the jobs process and takes no lease while no task is due', async () => {
    const app = await startApp({ env: { CLEANUP_DELAY_MS: '0' }, role: 'all' });
    try {
      const lease = () => app.db.collection('leases').findOne({ _id: TASKS_JOB as never });
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect(await lease()).toBeNull();
      const author = await app.world.person();
      const id = await publisher(app)(author);
      await app.world.deletePost(id, { by: author });
      await until(async () => (await app.app.get(TaskWorker).backlog()).rows === 0 || null);
      expect(await traces(app, id)).toEqual([]);
      expect(await lease()).not.toBeNull();
    } finally {
      await app.close();
    }
  });
});
