import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, MongoClient, ObjectId } from 'mongodb';
import { markFormat } from '../../src/platform/mongo/format/database-format.js';
import { differences } from '../support/audit.js';
import { type CommandResult, runCommand } from '../support/cli.js';
import { useDatabase } from '../support/mongo.js';
import { expectedRows, type SourceRows } from '../support/opencanvas-expected.js';
import { OpenCanvasSource, type SourceSizes } from '../support/opencanvas-source.js';
import { storedRows } from '../support/opencanvas-stored.js';

const SIZES: SourceSizes = {
  users: 700,
  posts: 60,
  comments: 2_600,
  collections: 80,
  interactions: 2_500,
  follows: 900,
};
const NAMES = Object.keys(SIZES);

describe('import opencanvas', () => {
  const source = useDatabase();
  const target = useDatabase();
  const file = join(tmpdir(), `opencanvas-import-${process.pid}.json`);
  afterAll(() => rmSync(file, { force: true }));

  const run = (...args: string[]): Promise<CommandResult> => {
    const from = ['--from', source.uri, '--database', source.dbName];
    return runCommand(['import', 'opencanvas', ...from, ...args], { MONGODB_DATABASE: target.dbName });
  };
  const manage = (...args: string[]) => runCommand(['import', ...args], { MONGODB_DATABASE: target.dbName });
  const state = async (): Promise<Document> => (await target.db.collection('imports').findOne())!;
  const sourceRows = async (): Promise<SourceRows> => {
    const readCollection = async (name: string) =>
      [name, await source.db.collection(name).find().sort({ _id: 1 }).toArray()] as const;
    return Object.fromEntries(await Promise.all(NAMES.map(readCollection)));
  };
  const reportOf = async (...args: string[]): Promise<Record<string, Document>> => {
    const { status, text } = await run('--report', file, ...args);
    expect([status, text]).toEqual([0, expect.stringContaining('rows')]);
    return JSON.parse(readFileSync(file, 'utf8'));
  };
  const contents = async (): Promise<unknown> => {
    const names = (await target.db.listCollections().toArray()).map(({ name }) => name);
    const kept = names.filter(
      (name) => !['imports', 'events', 'leases', 'score_epochs', 'process_sessions'].includes(name),
    );
    const all = kept
      .sort()
      .map(async (name) => [name, await target.db.collection(name).find().sort({ _id: 1 }).toArray()]);
    return Promise.all(all);
  };

  beforeAll(() => new OpenCanvasSource(SIZES).write(source.db));

  it('writes nothing in a dry run, and reports what an import does', async () => {
    const dry = await reportOf('--dry-run');
    expect((await target.db.listCollections().toArray()).map(({ name }) => name)).not.toContain('imports');
    expect(await target.db.collection('users').countDocuments()).toBe(0);

    const real = await reportOf();
    for (const name of ['users', 'posts', 'comments', 'collections', 'follows', 'featured'])
      expect([name, dry[name]!.read, dry[name]!.taken]).toEqual([name, real[name]!.read, expect.any(Number)]);
    expect(dry.comments).toEqual(real.comments);
    expect(dry.posts).toEqual(real.posts);
  });

  it('has stored exactly the rows of the table, with every counter equal to its rows', async () => {
    const stored = await storedRows(target.db);
    const expected = expectedRows(await sourceRows(), (await state()).startedAt);

    for (const [name, rows] of Object.entries(expected)) {
      expect([name, rows.size > 20, stored[name]!.size]).toEqual([name, true, rows.size]);
      for (const [id, row] of rows) expect([name, id, stored[name]!.get(id)]).toEqual([name, id, row]);
    }
    expect(await differences(target.db)).toEqual([]);
    const posts = await target.db.collection('posts').find().toArray();
    for (const { _id, stats, visitors } of posts) {
      const day = await target.db.collection('post_event_days').findOne({ postId: _id });
      const { views = 0, reads = 0, shares = 0 }: Document = day ?? {};
      expect([stats.viewsCount, visitors.reads, visitors.shares]).toEqual([views, reads, shares]);
    }
    expect(posts.find(({ title }) => title === 'Post 3')).toMatchObject({
      slug: 'post-3',
      contentPreview: expect.stringContaining('. '),
    });
  });

  it('ends with every index', async () => {
    expect(await runCommand(['indexes'], { MONGODB_DATABASE: target.dbName })).toMatchObject({ status: 0 });
  });

  it('reports skipped and changed rows by reason, with 20 examples at most', async () => {
    const { report } = await state();
    const { users, posts, comments, interactions } = report;

    expect(Object.keys(posts.skipped)).toEqual(['its author is missing']);
    expect(Object.keys(comments.skipped).sort()).toEqual(['its author is missing', 'its post is missing', 'no text']);
    expect(interactions.skipped['an earlier one of two'].count).toBeGreaterThan(20);
    expect(users.changed['another username'].count).toBeGreaterThan(20);
    expect(users.changed['another username'].examples).toHaveLength(20);
    for (const { read, taken, skipped } of Object.values<Document>(report)) {
      const left = Object.values<Document>(skipped).reduce((sum, { count }) => sum + count, 0);
      expect(taken + left).toBe(read);
    }
  });

  it('writes no row when nothing has changed there', async () => {
    const before = await contents();

    const again = await reportOf();
    expect(Object.values(again).map(({ taken }) => taken)).toEqual(Array(7).fill(0));
    expect(await contents()).toEqual(before);
  });

  it('--since last takes changes of the source, and leaves rows that were changed here', async () => {
    const posts = await target.db.collection('posts').find({ isListed: true }).sort({ _id: 1 }).limit(3).toArray();
    const [changed, both, here] = posts.map(({ _id }) => _id) as [ObjectId, ObjectId, ObjectId];
    const there = source.db.collection('posts');
    const costly = { title: 'New there', content: '$x$ '.repeat(60_000) };
    await there.updateOne({ _id: changed }, { $set: costly, $inc: { 'stats.viewsCount': 7 } });
    await there.updateOne({ _id: both }, { $set: { title: 'New there' } });
    const edit = { $set: { title: 'New here', updatedAt: new Date() } };
    await target.db.collection('posts').updateMany({ _id: { $in: [both, here] } }, edit);

    const report = await reportOf('--since', 'last');
    const titles = await target.db
      .collection('posts')
      .find({ _id: { $in: [changed, both, here] } })
      .sort({ _id: 1 })
      .toArray();
    expect(titles.map(({ title }) => title)).toEqual(['New there', 'New here', 'New here']);
    expect(titles[0]!.stats.viewsCount).toBe(posts[0]!.stats.viewsCount + 7);
    expect(report.posts).toMatchObject({ taken: 1, skipped: { 'changed there and here': { count: 1 } } });
    expect(report.posts!.changed).toHaveProperty(['a text that takes too long to render: as plain text', 'count'], 1);
    expect(await differences(target.db)).toEqual([]);
  });

  it('finish forgets the source, and then another import is refused', async () => {
    expect(await manage('status')).toMatchObject({ status: 0, text: expect.stringContaining('Completed at') });
    expect(await manage('finish')).toMatchObject({
      status: 0,
      text: expect.stringMatching(/^The import is finished: \d+/m),
    });
    expect(await target.db.collection('import_rows').countDocuments()).toBe(0);

    expect(await run()).toMatchObject({ status: 1, text: expect.stringContaining('already has data (users)') });
    expect(await run('--since', 'last')).toMatchObject({
      status: 1,
      text: expect.stringContaining('needs an earlier import'),
    });
  });

  it('--merge adds to other data: a name that is taken there gets a number', async () => {
    await target.db.dropDatabase();
    await markFormat(target.db);
    const mine = { _id: new ObjectId(), username: 'user_5', previousUsernames: [], deletedAt: null, stats: {} };
    await target.db.collection('users').insertOne(mine);
    expect(await run()).toMatchObject({ status: 1, text: expect.stringContaining('add --merge') });

    await run('--merge');
    expect(await target.db.collection('users').countDocuments({ username: /^user_5(_01)?$/ })).toBe(2);
  });
});

describe('import opencanvas from another source', () => {
  const target = useDatabase();
  const other = useDatabase();
  const refusal = async (uri: string, database: string): Promise<string> => {
    const { status, text } = await runCommand(['import', 'opencanvas', '--from', uri, '--database', database], {
      MONGODB_DATABASE: target.dbName,
    });
    expect(status).toBe(1);
    expect(text.trim().split('\n')).toHaveLength(1);
    return text;
  };

  it('refuses one that is down, empty, of another product or of this product, in a sentence', async () => {
    expect(await refusal('mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=500', 'x')).toContain(
      'start it, or correct --from',
    );
    expect(await refusal('nonsense://', 'x')).toContain('is invalid');
    expect(await refusal(other.uri, other.dbName)).toContain('has no users');
    await other.db.collection('users').insertOne({ login: 'a' });
    expect(await refusal(other.uri, other.dbName)).toContain('is not of OpenCanvas');
    await other.db.collection('post_bodies').insertOne({ login: 'a' });
    expect(await refusal(other.uri, other.dbName)).toContain('use `backup` and `restore`');
  });

  it('refuses to start beside a server, and servers refuse a database that is being filled', async () => {
    const sizes = { users: 3, posts: 0, comments: 0, collections: 0, interactions: 0, follows: 0 };
    const client = await MongoClient.connect(other.uri);
    await new OpenCanvasSource(sizes, 0).write(client.db(other.dbName));
    await client.close();
    const events = target.db.collection('events');
    const payload = { host: 'other', name: 'web-1', version: '0', connections: 1, secret: '' };
    await events.insertOne({
      topic: 'host.seen',
      payload,
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    });

    expect(await refusal(other.uri, other.dbName)).toContain('Stop the servers of this database first (web-1)');
  });
});
