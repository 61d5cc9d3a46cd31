import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { describeApi } from '../../src/api-document.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { FORMAT } from '../../src/platform/mongo/format/database-format.js';
import { TaskHandlers } from '../../src/platform/work-queue/task-handlers.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { auditIndex, indexAll, startApp, type TestApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { runCli } from '../support/cli.js';
import { useDatabase } from '../support/mongo.js';
import { operationsOf } from '../support/openapi.js';
import { type ReleaseFacts, RELEASES, restoreRelease } from '../support/releases.js';
import { AnswerCheck } from '../support/response-check.js';

const document = await describeApi();
const reads = operationsOf(document).filter(({ method }) => method === 'GET');

const NO_FORMAT = '0 \\(0\\.2\\.0 or earlier\\)';
const POST_TEXTS = / 1 {2}post texts: pending\. /;
const WIDE_ADDRESS = 'ｄump_member@example.org';
const MIGRATIONS = {
  '0.1.0': { format: NO_FORMAT, first: POST_TEXTS, dryRun: /1 post texts: 12\d rows/, address: WIDE_ADDRESS },
  '0.2.0': { format: NO_FORMAT, first: POST_TEXTS, dryRun: /6 moderation log: 2 rows/, address: WIDE_ADDRESS },
  '0.3.0': {
    format: '7 \\(0\\.3\\.0\\)',
    first: / 8 {2}mailboxes: pending\. /,
    dryRun: /8 mailboxes: \d+ rows/,
    address: 'dump_member@example.org',
  },
};

describe.each(RELEASES)('a database of %s', (name) => {
  const migration = MIGRATIONS[name];
  const database = useDatabase();
  let release: ReleaseFacts;
  let env: Record<string, string>;

  beforeAll(async () => {
    release = await restoreRelease(database.db, name);
    env = { MONGODB_DATABASE: database.dbName, AUTH_TOKEN_SECRET: release.authTokenSecret };
  });

  const cli = (...command: string[]) => runCli(database, command, env);

  it('is refused by the server and by commands, with the command to run', async () => {
    const refusal = new RegExp(
      `^The database test_\\w+ has data of format ${migration.format}, .*\`npm run cli -- migrate up\`\\.$`,
    );

    await expect(startApp({ env })).rejects.toThrow(refusal);
    expect(await cli('counters', 'audit')).toMatchObject({ status: 1, text: expect.stringMatching(/migrate up/) });
  });

  it('is described by `migrate status` and counted by a dry run, which change nothing', async () => {
    const status = await cli('migrate', 'status');
    const dryRun = await cli('migrate', 'up', '--dry-run');

    expect(status.status).toBe(1);
    expect(status.text).toMatch(migration.first);
    expect(dryRun.text).toMatch(migration.dryRun);
    expect((await cli('migrate', 'status')).text).toBe(status.text);
  });

  it('is migrated, also after an interruption', async () => {
    const credentials = database.db.collection('credentials');
    const member = { _id: new ObjectId(release.accounts.member.id) };
    await credentials.updateOne(member, { $set: { email: migration.address } });
    // as an interrupted run leaves it
    await database.db.collection<{ _id: string }>('restores').insertOne({ _id: 'running', isGuard: true } as never);

    const { status, text } = await cli('migrate', 'up');

    expect([status, text.match(/WARNING.*/g)]).toEqual([0, null]);
    expect(text).toMatch(new RegExp(`The data has format ${FORMAT}\\.`));
    expect(await credentials.findOne(member)).toMatchObject({ email: 'dump_member@example.org' });
    expect((await cli('migrate', 'status')).status).toBe(0);
    expect((await cli('indexes')).text).toMatch(/All indexes and validators match the code\.\n$/);
    expect((await cli('migrate', 'up')).text).not.toMatch(/rows in/);
  });

  describe('after the migration', () => {
    let app: TestApp;
    let withoutHandler: string[];
    const tokens: Record<string, string> = {};

    beforeAll(async () => {
      app = await startApp({
        env: { ...env, HTTP_PUBLIC_URL: 'http://localhost:3000' },
        search: true,
        direct: 'ETags',
      });
      for (const [who, { username: login, password }] of Object.entries(release.accounts)) {
        const { status, body } = await app.client.post('/v1/auth/login', { body: { login, password } });
        expect([who, status]).toEqual([who, 200]);
        tokens[who] = body.accessToken;
      }
      const handlers = app.app.get(TaskHandlers);
      withoutHandler = (await app.db.collection('tasks').find().toArray())
        .filter(({ topic, lane }) => handlers.of(topic, lane).length === 0)
        .map(({ topic, lane }) => `${topic} in ${lane}`);
      await app.app.get(TaskWorker).drain(AbortSignal.timeout(60_000), () => {});
      await indexAll(app);
    });
    afterAll(() => app.close());

    it('counters equal rows', async () => {
      expect(await differences(app.db)).toEqual([]);
      expect(await cli('counters', 'audit')).toMatchObject({ status: 0 });
    });

    it('no task fails, and each has a handler', async () => {
      expect((await app.app.get(TaskWorker).backlog()).failing).toBe(0);
      expect(withoutHandler).toEqual([]);
    });

    it('every read responds as declared', async () => {
      const check = new AnswerCheck(document);
      const { ids, accounts } = release;
      const known = new Map<string, string>([
        [EXAMPLE.postId, ids.post],
        [EXAMPLE.commentId, ids.comment],
        [EXAMPLE.collectionId, ids.collection],
        [EXAMPLE.draftId, ids.draft],
        [EXAMPLE.username, accounts.writer.username],
      ]);
      const faults: string[] = [];
      let found = 0;
      for (const operation of reads.filter(({ id }) => !/Stream|EventSource/.test(id))) {
        const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
          const example = operation.parameters.find((one) => one.name === parameter)!.schema['example'];
          const id = /[0-9a-f]{24}$/.exec(String(example))?.[0] ?? String(example);
          return encodeURIComponent(known.get(id) ?? id);
        });
        const required = operation.parameters.filter((one) => one.in === 'query' && one.required);
        const query = required.map(
          ({ name: key, schema }) => `${key}=${encodeURIComponent(String(schema['example']))}`,
        );
        const token = tokens[/^\/v1\/(admin|moderation)\//.test(path) ? 'admin' : 'writer'];
        const answer = await app.patient.get(`${path}?${query.join('&')}`, { token: token! });
        if (answer.status < 300) found++;
        if (answer.status >= 500) faults.push(`${operation.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
        faults.push(...check.faults(operation, answer).map((fault) => `${operation.name}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(found).toBeGreaterThan(60);
    });

    it('search finds every post and account', async () => {
      const { documents, differences: missing } = await auditIndex(app);
      const { body } = await app.client.get('/v1/search?q=written+release');

      expect([documents > 300, missing]).toEqual([true, []]);
      expect(body.data.posts.map(({ id }: { id: string }) => id)).toContain(release.ids.post);
    });

    it('repeated requests with an Idempotency-Key get their first response', async () => {
      for (const { by, path, key, body, status, response } of release.repeatable) {
        const again = await app.client.post(path, { token: tokens[by]!, body, headers: { 'idempotency-key': key } });
        expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([
          status,
          'true',
          response,
        ]);
      }
    });

    it('sessions, API tokens, posts, comments and votes still work', async () => {
      const { accounts, ids } = release;
      const { refreshToken, apiToken } = accounts.writer;
      const refreshed = await app.client.post('/v1/auth/refresh', { body: { refreshToken } });
      const own = await app.client.get('/v1/posts/mine', { token: apiToken });
      const { headers } = await app.client.get(`/v1/posts/${ids.post}`);
      const edited = await app.client.patch(`/v1/posts/${ids.post}`, {
        token: tokens['writer']!,
        headers: { 'if-match': headers.get('etag')! },
        body: { content: `Edited after the upgrade: ${randomBytes(4).toString('hex')}` },
      });
      const reply = await app.client.post(`/v1/posts/${ids.post}/comments`, {
        token: tokens['writer']!,
        body: { content: 'After the upgrade.', parentId: ids.comment },
      });
      const vote = await app.client.put(`/v1/posts/${ids.editedPost}/vote`, {
        token: tokens['reader']!,
        body: { value: 'like' },
      });

      expect([refreshed, own, edited, reply, vote].map(({ status }) => status)).toEqual([200, 200, 200, 201, 200]);
      expect(await differences(app.db)).toEqual([]);
    });

    it('a scheduled draft has its task', async () => {
      const tasks = await app.db.collection('tasks').find({ topic: 'draft.due' }).toArray();

      expect(tasks.map(({ payload }) => String(payload))).toContain(release.ids.scheduledDraft);
    });
  });
});
