import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { signUp, type TestAccount } from '../support/accounts.js';
import { differences } from '../support/audit.js';
import { createClient, type TestClient } from '../support/client.js';
import { newDatabaseName } from '../support/databases.js';
import { releaseFacts } from '../support/releases.js';
import { ROOT, SpawnedHost } from '../support/spawned-host.js';

const run = promisify(execFile);
const PREVIOUS = '0.2.0';
const BUILD_TIMEOUT_MS = 900_000;
const PAUSE_MS = 20;

/** The release itself, from the history of this repository, and the current server, on one database. */
describe(`an upgrade from ${PREVIOUS}`, () => {
  const tree = mkdtempSync(join(tmpdir(), 'opencanvas-previous-'));
  const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
  const db = mongo.db(newDatabaseName());
  const settings = {
    MONGODB_URI: process.env.TEST_MONGODB_URI!,
    MONGODB_DATABASE: db.databaseName,
    AUTH_TOKEN_SECRET: 'a secret of both versions, of forty characters',
    RATE_LIMIT_ENABLED: 'false',
    NEWCOMER_DAYS: '0',
  };
  const earlier = new SpawnedHost(join(relative(ROOT, tree), 'dist/bundle/main.js'), settings);
  const later = new SpawnedHost('dist/bundle/main.js', settings);
  let author: TestAccount;
  let client: TestClient;

  beforeAll(async () => {
    await run('git', ['worktree', 'add', '--detach', '--force', tree, releaseFacts(PREVIOUS).revision], { cwd: ROOT });
    await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: tree });
    await run('npm', ['run', 'build'], { cwd: tree });
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await earlier.remove();
    await later.remove();
    await db.dropDatabase();
    await mongo.close();
    await run('git', ['worktree', 'remove', '--force', tree], { cwd: ROOT });
    rmSync(tree, { recursive: true, force: true });
  });

  const migrate = async (): Promise<{ code: number; text: string }> => {
    const cli = [join(ROOT, 'dist/bundle/cli.js'), 'migrate', 'up'];
    return run(process.execPath, cli, { cwd: ROOT, env: later.childEnvironment() }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        text: error.stdout + error.stderr,
      }),
    );
  };
  const refusalOf = async (host: SpawnedHost): Promise<string> => {
    host.start();
    expect(await host.exit()).toBe(1);
    return host.output;
  };

  it('keeps every acknowledged write, and refuses each wrong pair with a sentence', async () => {
    earlier.start();
    client = createClient(await earlier.url());
    author = await signUp(client);
    const acknowledged: string[] = [];
    let isWriting = true;
    const writer = (async () => {
      for (let n = 0; isWriting; n++) {
        const body = { title: `Post ${n}`, content: `Text ${n}.`, type: 'article' };
        const answer = await client.post('/v1/posts', { token: author.token, body }).catch(() => null);
        if (answer?.status === 201) acknowledged.push(answer.body.id);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    })();

    // While the earlier version serves: the later one neither starts nor migrates.
    expect(await refusalOf(later)).toMatch(/has data of format 0 .*`npm run cli -- migrate up`/);
    const early = await migrate();
    expect([early.code, early.text]).toEqual([1, expect.stringMatching(/\(0\.2\.0\S*\) still runs .* Stop it/)]);

    earlier.signal('SIGTERM');
    expect(await earlier.exit()).toBe(0);
    isWriting = false;
    await writer;
    expect(await migrate()).toMatchObject({ code: 0 });
    later.start();
    client = createClient(await later.url());
    for (const id of acknowledged) expect((await client.get(`/v1/posts/${id}`)).status).toBe(200);
    expect(acknowledged.length).toBeGreaterThan(10);

    // While the later version serves: the earlier one does not start.
    expect(await refusalOf(earlier)).toMatch(/A restore of the database \S+ did not end; run .* restore FILE --force/);
    const body = { title: 'After', content: 'Written after the upgrade.', type: 'article' };
    expect((await client.post('/v1/posts', { token: author.token, body })).status).toBe(201);
    expect(await db.collection('posts').countDocuments()).toBe(acknowledged.length + 1);
    expect(await differences(db)).toEqual([]);
  });
});
