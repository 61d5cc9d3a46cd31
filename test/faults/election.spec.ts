import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, type MongoServerError, ObjectId } from 'mongodb';
import mongoose from 'mongoose';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { connectionOptions } from '../../src/platform/mongo/connection-options.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { startApp, type TestApp, testEnvironment } from '../support/app.js';
import { testMongodBinary } from '../support/mongo.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { Mongods } from './suite/mongods.js';

const AT_ONCE = 8;

type FailPoint = { mode: object | string; data: Document };

/** Uses three real members. Fail points, and then real elections, fail commands at the worst moments. */
describe('an election of the database', () => {
  let mongods: Mongods;
  let app: TestApp;
  let author: Person;
  let reader: Person;
  let postId: string;

  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 3, { enableTestCommands: '1' });
    app = await startApp({ env: { MONGODB_URI: mongods.uri } });
    [author, reader] = await app.world.people(2);
  });
  afterAll(async () => {
    await app?.close();
    await mongods?.remove();
  });
  beforeEach(async () => {
    postId = (await app.world.post({ by: author })).id;
  });

  /** Fails only commands of the app, or of the given name. @returns the result of `act` and the number of failed commands */
  async function failing<T>({ mode, data }: FailPoint, act: () => Promise<T>): Promise<{ result: T; hits: number }> {
    const primary = await mongods.primary();
    const point = { configureFailPoint: 'failCommand', data: { appName: 'opencanvas-api', ...data } };
    const { count: before } = await primary.command({ ...point, mode });
    let result: T;
    try {
      result = await act();
    } finally {
      await primary.command({ ...point, mode: 'off' });
    }
    const { count: after } = await primary.command({ ...point, mode: 'off' });
    return { result, hits: Number(after) - Number(before) };
  }

  const commits = (times: number, data: Document): FailPoint => ({
    mode: { times },
    data: { failCommands: ['commitTransaction'], ...data },
  });
  const unconfirmed = (code: number) => ({ writeConcernError: { code, errmsg: 'made by the test' } });
  const refused = (errorCode: number) => ({ errorCode });

  const lost: [string, FailPoint][] = [
    ['is in, but interrupted while it waited for the majority', commits(2, unconfirmed(11602))],
    ['is in, but without a majority in time', commits(2, unconfirmed(64))],
    ['meets a member that has just stepped down', commits(3, refused(10107))],
    ['is interrupted by the step-down', commits(3, refused(11602))],
    ['finds a member that is stepping down', commits(3, refused(189))],
    ['loses its connection three times', commits(3, { closeConnection: true })],
  ];

  it.each(lost)('a deletion whose commit %s is applied once and responded to with 204', async (_, point) => {
    const comment = await app.world.comment({ by: reader, on: postId });
    const deleteComment = () => app.client.delete(`/v1/comments/${comment.id}`, { token: reader.token });
    const { result, hits } = await failing(point, deleteComment);
    expect({ status: result.status, hits }).toEqual({ status: 204, hits: (point.mode as { times: number }).times });
    expect((await deleteComment()).status).toBe(404);
    const post = await app.db.collection('posts').findOne({ _id: ObjectId.createFromHexString(postId) });
    expect(post!.stats.commentsCount).toBe(0);
  });

  it.each(lost)('a vote whose group commit %s is counted once and responded to with 200', async (_, point) => {
    const { token } = reader;
    const vote = () => app.client.put(`/v1/posts/${postId}/vote`, { token, body: { value: 'like' } });
    const { result, hits } = await failing(point, vote);
    expect({ status: result.status, hits }).toEqual({ status: 200, hits: (point.mode as { times: number }).times });
    expect(result.body.stats.likesCount).toBe(1);
    const post = await app.db.collection('posts').findOne({ _id: ObjectId.createFromHexString(postId) });
    expect(post!.stats.likesCount).toBe(1);
    expect(await app.db.collection('interactions').countDocuments({ targetId: post!._id })).toBe(1);
  });

  it('a repeated Idempotency-Key is 409 until the first response is on a majority', async () => {
    const createComment = () =>
      app.client.post(`/v1/posts/${postId}/comments`, {
        token: reader.token,
        body: { content: 'Once.' },
        headers: { 'idempotency-key': 'on-one-member-alone' },
      });
    const first = await createComment();
    expect(first.status).toBe(201);
    // Simulates another process that has just stored the key. The insert is retried, and the others get a conflict.
    const keys = app.db.collection('idempotency_keys');
    const row = (await keys.findOne({}, { sort: { createdAt: -1 } }))!;
    await keys.deleteOne({ _id: row._id }, { writeConcern: { w: 'majority' } });
    const primary = await mongods.primary();
    const stop = { configureFailPoint: 'rsSyncApplyStop' };
    const others = mongods.others(primary);
    try {
      for (const other of others) {
        const { count } = await other.command({ ...stop, mode: 'alwaysOn' });
        await other.command({
          waitForFailPoint: 'rsSyncApplyStop',
          timesEntered: Number(count) + 1,
          maxTimeMS: 20_000,
        });
      }
      await keys.insertOne(row, { writeConcern: { w: 1 } });
      const { status, body, headers } = await createComment();
      expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'request_in_progress', '1']);
    } finally {
      for (const other of others) await other.command({ ...stop, mode: 'off' });
    }
    const again = await until(async () => {
      const answer = await createComment();
      return answer.status === 409 ? null : answer;
    });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body.id).toBe(first.body.id);
  });

  it('"not primary" is reported as that after raw reads that met it', async () => {
    const appName = 'raw-errors';
    const { mongo: settings } = new AppConfig(ENV_SCHEMA.parse(testEnvironment({ MONGODB_URI: mongods.uri })));
    const options = { ...connectionOptions(settings), appName, minPoolSize: AT_ONCE, maxPoolSize: AT_ONCE };
    const connection = await mongoose.createConnection(mongods.uri, options).asPromise();
    const { db } = new MongoService(connection);
    // Mixes raw reads with others, because driver state of the raw reads affects the others.
    const findAny = (at: number) => db.command({ find: 'anything', limit: 1 }, { raw: at % 2 === 0 });
    const slow = { failCommands: ['find'], appName, blockConnection: true, blockTimeMS: 200 };
    const readAll = () => Promise.allSettled(Array.from({ length: AT_ONCE }, (_, at) => findAny(at)));
    try {
      // Opens AT_ONCE connections, which stay in the pool.
      await failing({ mode: { times: AT_ONCE }, data: slow }, readAll);
      const { result } = await failing({ mode: { times: AT_ONCE }, data: { ...slow, errorCode: 10107 } }, readAll);
      const reasons = result.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
      expect(reasons.length).toBeGreaterThan(1);
      expect(reasons.filter((reason) => (reason as MongoServerError).code !== 10107)).toEqual([]);
    } finally {
      await connection.close();
    }
  });

  it.each([
    [10107, 'not primary'],
    [13435, 'not primary, and no reads from secondaries'],
    [262, 'a time limit'],
    [50, 'a time limit of the command'],
    [112, 'a write conflict'],
    [251, 'no such transaction'],
  ])('every kind of request is served or 503 while the database says %i (%s)', async (errorCode) => {
    const comment = await app.world.comment({ by: reader, on: postId });
    const failCommands = ['find', 'aggregate', 'insert', 'update', 'delete', 'findAndModify', 'commitTransaction'];
    const { token } = reader;
    const { result } = await failing({ mode: { times: 20 }, data: { failCommands, errorCode } }, () =>
      Promise.all([
        app.client.get(`/v1/posts/${postId}`),
        app.client.get('/v1/feed?limit=7'),
        app.client.get('/v1/posts/mine?limit=7', { token }),
        app.client.put(`/v1/posts/${postId}/vote`, { token, body: { value: 'like' } }),
        app.client.put(`/v1/users/${author.username}/follow`, { token }),
        app.client.post(`/v1/posts/${postId}/comments`, { token, body: { content: 'In the middle of it.' } }),
        app.client.post(`/v1/posts/${postId}/events`, { token, body: { kind: 'read' } }),
        app.client.patch(`/v1/comments/${comment.id}`, { token, body: { content: 'Better said.' } }),
        app.client.patch('/v1/users/me', { token, body: { bio: `Seen ${errorCode}` } }),
        app.client.delete(`/v1/comments/${comment.id}`, { token: author.token }),
      ]),
    );
    // 403 is a valid response, because the comment belongs to another author.
    const wrong = result.filter(({ status }) => status >= 300 && status !== 503 && status !== 403);
    expect(wrong.map(({ status, body }) => [status, body])).toEqual([]);
    expect(result.filter(({ status, headers }) => status === 503 && headers.get('retry-after') === null)).toEqual([]);
  });

  async function lose(primary: Awaited<ReturnType<Mongods['primary']>>, how: string): Promise<void> {
    if (how === 'is killed') {
      await primary.end('SIGKILL');
      primary.start();
    } else {
      await primary.command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5, force: true }).catch(() => {});
    }
  }

  it.each(['steps down', 'is killed'])(
    'a first deletion is 204 or 503, never 404, when the primary member %s',
    async (what) => {
      const comments = await Promise.all(
        Array.from({ length: 60 }, () => app.world.comment({ by: reader, on: postId })),
      );
      const primary = await mongods.primary();
      const deletions = comments.map(async ({ id }, at) => {
        await sleep(at * 8);
        return app.client.delete(`/v1/comments/${id}`, { token: reader.token });
      });
      await sleep(200);
      await lose(primary, what);
      const statuses = (await Promise.all(deletions)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 204 && status !== 503)).toEqual([]);
      expect(statuses).toContain(204);
      await mongods.primary();
      // The client repeats requests with 503, and in each case there is one comment.
      for (const [at, { id }] of comments.entries())
        if (statuses[at] === 503) await app.client.delete(`/v1/comments/${id}`, { token: reader.token });
      const post = await app.db.collection('posts').findOne({ _id: ObjectId.createFromHexString(postId) });
      expect(post!.stats.commentsCount).toBe(0);
    },
  );

  it.each(['steps down', 'is killed'])('counts each vote of a crowd once when the primary member %s', async (what) => {
    const voters = await app.world.people(60);
    const primary = await mongods.primary();
    const startedAt = Date.now();
    let slowestMs = 0;
    // Each voter likes, dislikes and likes again, so that commits continue through the election.
    const votes = voters.map(async ({ token }, at) => {
      await sleep(at * 5);
      const path = `/v1/posts/${postId}/vote`;
      for (const value of ['like', 'dislike', 'like']) {
        for (;;) {
          const sentAt = Date.now();
          const { status, headers } = await app.client.put(path, { token, body: { value } });
          slowestMs = Math.max(slowestMs, Date.now() - sentAt);
          if (status === 200) break;
          expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
          await sleep(100);
        }
      }
    });
    await sleep(100);
    await lose(primary, what);
    await Promise.all(votes);
    await mongods.primary();
    console.log(`${what}: all votes after ${Date.now() - startedAt} ms, slowest answer ${slowestMs} ms`);
    const post = await app.db.collection('posts').findOne({ _id: ObjectId.createFromHexString(postId) });
    expect(post!.stats.likesCount).toBe(60);
    expect(post!.stats.dislikesCount).toBe(0);
    expect(await app.db.collection('interactions').countDocuments({ targetId: post!._id, value: 'like' })).toBe(60);
  });
});
