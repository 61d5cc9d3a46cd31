import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { startApp, type TestApp } from '../support/app.js';
import { wronglyRanked } from '../support/ranks.js';

const ROOT = join(import.meta.dirname, '../..');
const POSTS = 9_000;

describe('the score job of real processes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
    const createdAt = new Date(Date.now() - 50 * 86_400_000);
    const rows = Array.from({ length: POSTS }, (_, index) => ({
      _id: new ObjectId(),
      type: 'poem',
      tags: ['a', 'b', 'c'],
      authorId: new ObjectId(),
      isListed: true,
      version: 1,
      stats: { viewsCount: index, readsCount: 3, likesCount: 2, dislikesCount: 1, sharesCount: 0, commentsCount: 0 },
      visitors: { reads: 0, shares: 0, likes: 0, dislikes: 0 },
      rank: { hotA: 1, hotB: 1, topA: 1, topB: 1, winA: 0, winB: 0 },
      createdAt,
      contentEditedAt: createdAt,
      updatedAt: createdAt,
      deletedAt: null,
    }));
    await app.db.collection('posts').insertMany(rows);
  });
  afterAll(() => app.close());

  function runRank() {
    const child = spawn(process.execPath, [join(ROOT, 'dist/bundle/cli.js'), 'rank', 'run'], {
      env: {
        ...process.env,
        MONGODB_DATABASE: app.db.databaseName,
        MONGODB_URI: process.env.TEST_MONGODB_URI!,
        AUTH_TOKEN_SECRET: 'x'.repeat(40),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, output })),
    );
    return { child, ended };
  }

  const epoch = () => app.db.collection('score_epochs').findOne({});
  const written = () => app.db.collection('posts').countDocuments({ 'rank.winB': { $ne: 0 } });

  it('a killed run is completed by the next process, and the epoch flips once', async () => {
    const first = runRank();
    while ((await written()) < 1_000) await sleep(5);
    first.child.kill('SIGKILL');
    await first.ended;
    const halfway = await written();
    const row = (await epoch())!;
    expect(halfway).toBeLessThan(POSTS);
    // Readers stay on their slot.
    expect(row).toMatchObject({ epoch: 1, slot: 'A', filling: { startedAt: expect.any(Date) as Date } });
    const expire = (expiresAt: Date) =>
      app.db.collection('leases').updateOne({ _id: 'score' as never }, { $set: { expiresAt } });
    // The dead process still holds the lease, which must expire before the next process can acquire the lease.
    await expire(new Date(Date.now() + 3_600_000));
    expect((await runRank().ended).output).toContain('Another process is computing ranks');
    await expire(new Date(0));

    const outcomes = await Promise.all([runRank().ended, runRank().ended]);
    const moved = outcomes.map(({ output }) => /\(slot B\): (\d+) posts moved/.exec(output)?.[1]).filter(Boolean);
    expect(moved).toHaveLength(1);
    // The second run does not write the ranks of the killed run again.
    expect(Number(moved[0])).toBeLessThan(POSTS);
    // The other run found the lease taken, or came after its end and filled the other slot.
    const done = (await epoch())!;
    expect(done).toMatchObject({ epoch: outcomes.every(({ code }) => code === 0) ? 3 : 2, filling: null });
    expect(await wronglyRanked(app.db, done.slot as 'A' | 'B', done.scoredAt as Date)).toEqual([]);
  });
});
