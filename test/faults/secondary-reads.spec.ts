import { type CommandStartedEvent, type Document, MongoClient, ObjectId } from 'mongodb';
import { register } from 'prom-client';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { testMongodBinary } from '../support/mongo.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { type Mongod, Mongods } from './suite/mongods.js';

/** Collections with public data; all others are read from the primary only. */
const PUBLIC = ['collection_items', 'collections', 'comments', 'post_bodies', 'posts', 'users'];
const POSTS = 6;

/** Uses three real members and caches no response, so every request reads from one of the members. */
describe('reads from secondaries', () => {
  let mongods: Mongods;
  let app: TestApp;
  let author: Person;
  let primary: Mongod;
  let commands: { address: string; name: string; command: Document }[] = [];

  const note = ({ address, commandName: name, command }: CommandStartedEvent): void => {
    commands.push({ address, name, command });
  };
  const askedOf = (...members: Mongod[]) => {
    const hosts = members.map(({ host }) => host);
    return commands.filter(({ address }) => hosts.includes(address));
  };
  const askedOfOthers = () => askedOf(...mongods.others(primary));

  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 3, { enableTestCommands: '1' });
    app = await startApp({
      env: {
        MONGODB_URI: mongods.uri,
        MONGODB_READ_PREFERENCE: 'secondaryPreferred',
        CACHE_FEED_TTL_MS: '0',
        CACHE_STALE_MS: '0',
        CACHE_STALE_IF_ERROR_MS: '0',
      },
    });
    primary = await mongods.primary();
    author = await app.world.person();
    app.app.get(MongoService).client.on('commandStarted', note);
  });
  afterAll(async () => {
    await app?.close();
    await mongods?.remove();
  });
  /** Waits until the driver has found and used both secondaries. */
  beforeEach(async () => {
    commands = [];
    await until(async () => {
      expect((await app.client.get('/v1/feed?limit=3')).status).toBe(200);
      return mongods.others(primary).every((member) => askedOf(member).length > 0) || null;
    });
    commands = [];
  });

  async function outcomes(): Promise<Record<string, number>> {
    const { values } = await register.getSingleMetric('opencanvas_mongo_secondary_reads_total')!.get();
    const sums: Record<string, number> = { answered: 0, late: 0, failed: 0, avoided: 0 };
    for (const { labels, value } of values) sums[String(labels['outcome'])]! += value;
    return sums;
  }

  const write = (count: number) => Promise.all(Array.from({ length: count }, () => app.world.post({ by: author })));

  it('serve public reads as of all acknowledged writes, and no other reads', async () => {
    const { token, username } = author;
    const [post] = await write(1);
    const path = `/v1/posts/${post!.id}`;
    const comment = await app.world.comment({ by: author, on: post!.id });
    const collection = await app.world.collection({ by: author, kind: 'list', posts: [post!.id] });
    const paths = [
      path,
      `${path}/content`,
      `${path}/comments?sort=top`,
      `${path}/comments`,
      `/v1/users/${username}`,
    ].concat(
      ['/v1/feed?limit=4', '/v1/users/top', `/v1/users/${username}/posts`, `/v1/comments/${comment.id}/replies`],
      ['/v1/collections', `/v1/collections/${collection.id}`, `/v1/collections/${collection.id}/posts`],
    );
    for (const url of paths) expect([url, (await app.client.get(url)).status]).toEqual([url, 200]);
    const own = ['/v1/posts/mine', '/v1/feed/following', '/v1/users/me/saved', `/v1/viewer?posts=${post!.id}`];
    const before = askedOfOthers().length;
    for (const url of own) await app.client.get(url, { token });
    await app.client.patch(path, { token, body: { title: 'Another title' } });
    await app.client.put(`${path}/vote`, { token, body: { value: 'like' } });
    expect(askedOfOthers().length).toBe(before);
    const asked = askedOfOthers().map(({ command }) => String(command['find'] ?? command['aggregate']));
    expect([...new Set(asked)].sort()).toEqual(PUBLIC);
    for (const { command } of askedOfOthers())
      expect(command['readConcern']).toEqual({ level: 'majority', afterClusterTime: expect.anything() });
  });

  it('show every write and no deleted post beside a secondary that stopped replicating', async () => {
    const [lagging] = mongods.others(primary) as [Mongod];
    const posts = await write(POSTS);
    const [edited, ...deleted] = posts.map(({ id }) => id) as [string, ...string[]];
    await until(async () => (await heldBy(lagging, posts)) === POSTS || null);
    const stop = { configureFailPoint: 'rsSyncApplyStop' };
    const { count } = await lagging.command({ ...stop, mode: 'alwaysOn' });
    const timesEntered = Number(count) + 1;
    await lagging.command({ waitForFailPoint: 'rsSyncApplyStop', timesEntered, maxTimeMS: 20_000 });
    const { late } = await outcomes();
    try {
      const { token } = author;
      // A client repeats a 503: the only other secondary may confirm late. A repeated request finds the post deleted.
      for (const id of deleted)
        await until(
          async () => [204, 404].includes((await app.client.delete(`/v1/posts/${id}`, { token })).status) || null,
        );
      // Writes like another host, because this host receives no event.
      const filter = { _id: ObjectId.createFromHexString(edited) };
      const change = { $set: { title: 'Edited elsewhere' } };
      await app.db.collection('posts').updateOne(filter, change, { writeConcern: { w: 'majority' } });
      await until(async () => {
        const wrong = await Promise.all([
          ...deleted.map(async (id) => (await app.client.get(`/v1/posts/${id}`)).status !== 404),
          app.client.get(`/v1/posts/${edited}`).then(({ body }) => body.title !== 'Edited elsewhere'),
          app.client
            .get('/v1/feed?sort=latest&limit=50')
            .then(({ body }) => deleted.some((id) => JSON.stringify(body).includes(id))),
        ]);
        expect(wrong).not.toContain(true);
        return (await outcomes()).late! > late! || null;
      });
      expect(askedOf(lagging).length).toBeGreaterThan(0);
      // The lagging member would have returned the deleted posts.
      expect(await heldBy(lagging, posts)).toBe(POSTS);
    } finally {
      await lagging.command({ ...stop, mode: 'off' });
    }
  });

  it.each(['killed', 'frozen'])('go on while a secondary is %s', async (how) => {
    const [hurt, other] = mongods.others(primary) as [Mongod, Mongod];
    const [post] = await write(1);
    const readBoth = async (): Promise<void> => {
      const answers = await Promise.all([app.client.get(`/v1/posts/${post!.id}`), app.client.get('/v1/feed?limit=5')]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    };
    const { late } = await outcomes();
    if (how === 'killed') await hurt.end('SIGKILL');
    else hurt.freeze();
    try {
      for (let times = 0; times < 20; times++) await readBoth();
      // The frozen secondary gets reads, and no reader waits for it.
      await until(async () => {
        await readBoth();
        return how === 'killed' || (await outcomes()).late! > late! || null;
      });
      // Reads go to the other secondary, although the driver may not have noticed the crash of this one.
      commands = [];
      await until(async () => {
        await readBoth();
        return askedOf(other).length > 0 || null;
      });
    } finally {
      if (how === 'killed') hurt.start();
      else hurt.thaw();
    }
  });

  /** Returns the number of the posts that this member returns. */
  async function heldBy(member: Mongod, posts: { id: string }[]): Promise<number> {
    const client = new MongoClient(`mongodb://${member.host}/?directConnection=true&readPreference=secondary`);
    try {
      const ids = posts.map(({ id }) => ObjectId.createFromHexString(id));
      return await client
        .db(app.db.databaseName)
        .collection('posts')
        .countDocuments({ _id: { $in: ids }, isListed: true });
    } finally {
      await client.close();
    }
  }
});
