import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Double, Int32, Long, ObjectId } from 'mongodb';
import { differences } from '../support/audit.js';
import { createClient } from '../support/client.js';
import { useDatabase } from '../support/mongo.js';
import { useServer } from '../support/server.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { HttpClient } from './suite/http-client.js';
import { CLI, runCli } from './suite/server-under-test.js';

const PEOPLE = 60;
const POSTS = 120;
const CLIENTS = 24;
const PARAMETER = 'minSnapshotHistoryWindowInSeconds';

describe('cli backup and restore', () => {
  const served = useServer({ processes: 2, people: PEOPLE, posts: POSTS });
  const { db: elsewhere } = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-backup-'));
  const file = join(directory, 'one.backup');
  let second: SpawnedHost | undefined;

  afterAll(async () => {
    await second?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const there = (): Record<string, string> => ({ MONGODB_DATABASE: elsewhere.databaseName });
  const restore = (path: string, ...flags: string[]) => runCli(served.host, ['restore', path, ...flags], there());
  const window = async (): Promise<number> =>
    (await served.db.admin().command({ getParameter: 1, [PARAMETER]: 1 }))[PARAMETER];
  const contents = async (): Promise<unknown[]> =>
    Promise.all(
      ['users', 'posts', 'interactions', 'comments'].map((name) => elsewhere.collection(name).countDocuments()),
    );

  /** Votes and comments without a pause, each with its own account and post. */
  class WriteLoad {
    readonly voted: { person: string; post: string }[] = [];
    readonly commented: string[] = [];
    private isOver = false;
    private made = 0;
    private readonly loops = Array.from({ length: CLIENTS }, () => this.loop());

    private async loop(): Promise<void> {
      const client = new HttpClient(served.url);
      while (!this.isOver && this.made < PEOPLE * POSTS) {
        const number = this.made++;
        const person = served.people[number % PEOPLE]!;
        const post = served.postIds[Math.floor(number / PEOPLE)]!;
        const token = served.tokens.of(person);
        const path = `/v1/posts/${post}`;
        const vote = await client.send({ method: 'PUT', path: `${path}/vote`, token, body: { value: 'like' } });
        if (vote.status === 200) this.voted.push({ person: person.id, post });
        if (number % 8 > 0) continue;
        const comment = { method: 'POST', path: `${path}/comments`, token, body: { content: `Number ${number}.` } };
        const answer = await client.send(comment);
        if (answer.status === 201) this.commented.push((JSON.parse(answer.text) as { id: string }).id);
      }
      client.close();
    }

    async stop(): Promise<void> {
      this.isOver = true;
      await Promise.all(this.loops);
    }
  }

  it('backup: a restore has every write acknowledged before it, and exact counters', async () => {
    // A restore preserves every BSON type, also of numbers.
    const strange = { _id: new ObjectId(), d: new Double(3), i: new Int32(3), l: Long.fromString('9007199254740993') };
    await served.db.collection<{ _id: ObjectId }>('strange').insertOne(strange);
    const before = await window();
    const load = new WriteLoad();
    await until(() => (load.voted.length > 500 ? true : null));
    const [voted, commented] = [[...load.voted], [...load.commented]];
    const backup = await runCli(served.host, ['backup', '--out', file]);
    const votedAtItsEnd = load.voted.length;
    await load.stop();
    expect([backup.code, backup.output]).toEqual([0, expect.stringMatching(/^\d+ documents of .* are in /m)]);
    expect(votedAtItsEnd).toBeGreaterThan(voted.length);
    expect(await window()).toBe(before);
    expect(existsSync(`${file}.partial`)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const restored = await restore(file);
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('counters audit')]);
    const audit = await runCli(served.host, ['counters', 'audit'], there());
    expect([audit.code, audit.output]).toEqual([0, expect.stringMatching(/^0 differences among [1-9]/m)]);
    expect(await differences(elsewhere)).toEqual([]);
    const indexes = await runCli(served.host, ['indexes'], there());
    expect([indexes.code, indexes.output]).toEqual([
      0,
      expect.stringMatching(/^All indexes and validators match the code\.$/m),
    ]);

    const rows = await elsewhere.collection('interactions').find({ kind: 'vote' }).toArray();
    const kept = new Set(rows.map(({ userId, targetId }) => `${userId} ${targetId}`));
    expect(voted.filter(({ person, post }) => !kept.has(`${person} ${post}`))).toEqual([]);
    const ids = commented.map((id) => new ObjectId(id));
    expect(await elsewhere.collection('comments').countDocuments({ _id: { $in: ids } })).toBe(ids.length);
    expect(await elsewhere.collection('process_sessions').countDocuments()).toBe(0);
    const raw = { promoteValues: false } as const;
    expect(await elsewhere.collection('strange').findOne({}, raw)).toEqual(
      await served.db.collection('strange').findOne({}, raw),
    );
  });

  it('restore: a database with rows or a damaged file is refused, and the data stays unchanged', async () => {
    const held = await contents();
    const bytes = readFileSync(file);
    const refused = async (path: string, flags: string[], reason: RegExp): Promise<void> => {
      const { code, output } = await restore(path, ...flags);
      expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
      expect(output).toContain('Nothing was changed.');
      expect(await contents()).toEqual(held);
    };
    await refused(file, [], /--force/);
    const damaged = join(directory, 'damaged.backup');
    for (const at of [0.2, 0.5, 0.9].map((share) => Math.floor(bytes.length * share))) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 0x40;
      writeFileSync(damaged, copy);
      await refused(damaged, ['--force'], /cannot be restored/);
    }
    for (const length of [0, 10, Math.floor(bytes.length / 2), bytes.length - 1]) {
      writeFileSync(damaged, bytes.subarray(0, length));
      await refused(damaged, ['--force'], /cannot be restored/);
    }
    writeFileSync(damaged, Buffer.concat([bytes, bytes]));
    await refused(damaged, ['--force'], /cannot be restored/);
    await refused(join(directory, 'none'), ['--force'], /File not found/);
  });

  it('restore: servers of the database drop their caches', async () => {
    await elsewhere.dropDatabase();
    second = new SpawnedHost('dist/bundle/main.js', {
      ...(served.host.childEnvironment() as Record<string, string>),
      ...there(),
      HTTP_PORT: '0',
      CACHE_FEED_TTL_MS: '600000',
    });
    second.start();
    const client = createClient(await second.url());
    const seen = async (): Promise<number> => (await client.get('/v1/feed?limit=5')).body.data.length;
    expect(await seen()).toBe(0);
    const { code, output } = await restore(file, '--force');
    expect([code, output]).toEqual([0, expect.stringContaining('counters audit')]);
    await until(async () => ((await seen()) > 0 ? true : null));
  });

  it('restore: servers refuse a database after a killed restore', async () => {
    const restores = elsewhere.collection('restores');
    expect(await restores.countDocuments({ _id: 'restore' as never })).toBe(0);
    const environment = { ...served.host.childEnvironment(), ...there() };
    const child = spawn(process.execPath, [CLI, 'restore', file, '--force'], { env: environment, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await until(async () => ((await restores.countDocuments({ _id: 'restore' as never })) > 0 ? true : null));
    child.kill('SIGKILL');
    await ended;
    expect(await restores.countDocuments({ _id: 'restore' as never })).toBe(1);
    expect((await runCli(served.host, ['migrate', 'up'], there())).code).toBe(0);
    const refused = new SpawnedHost('dist/bundle/main.js', {
      ...(environment as Record<string, string>),
      HTTP_PORT: '0',
    });
    refused.start();
    expect(await refused.exit()).toBe(1);
    expect(refused.output).toContain('did not end; run `npm run cli -- restore FILE --force` again');
    await refused.remove();
    expect((await restore(file, '--force')).code).toBe(0);
    expect(await restores.countDocuments({ _id: 'restore' as never })).toBe(0);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('backup: %s leaves no file, and mongod as it was', async (signal) => {
    const out = join(directory, `${signal}.backup`);
    // A pipe without a reader stops the command in the middle of its work.
    execFileSync('mkfifo', [`${out}.partial`]);
    const before = await window();
    const child = spawn(process.execPath, [CLI, 'backup', '--out', out], {
      env: served.host.childEnvironment(),
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const reader = await open(`${out}.partial`);
    expect(await window()).toBeGreaterThan(before);
    child.kill(signal);
    await reader.close();
    await ended;
    await until(async () => ((await window()) === before ? true : null));
    expect(existsSync(out)).toBe(false);
  });

  it('backup: an existing file is not overwritten', async () => {
    const size = statSync(file).size;
    const { code, output } = await runCli(served.host, ['backup', '--out', file]);
    expect([code, output]).toEqual([1, expect.stringContaining('already exists')]);
    expect(statSync(file).size).toBe(size);
  });
});
