import type { Socket } from 'node:net';
import type { StoredScoreEpoch } from '../../src/ranking/ranking.schema.js';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { type Clock, takeClock } from '../support/clock.js';
import { MongodProxy } from '../support/mongod-proxy.js';
import { until } from '../support/until.js';

/** Withholds the replies of the database. */
class SilentProxy extends MongodProxy {
  private readonly answers = new Set<Socket>();
  private isUnresponsive = false;

  silence(isUnresponsive: boolean): void {
    this.isUnresponsive = isUnresponsive;
    for (const mongod of this.answers) if (isUnresponsive) mongod.pause();
    if (!isUnresponsive) for (const mongod of this.answers) mongod.resume();
  }

  protected join(client: Socket): void {
    const mongod = this.open();
    this.answers.add(mongod);
    mongod.on('data', (chunk: Buffer) => client.write(chunk));
    mongod.on('close', () => this.answers.delete(mongod) && client.destroy());
    client.on('data', (chunk: Buffer) => mongod.write(chunk));
    client.on('close', () => mongod.destroy());
    if (this.isUnresponsive) mongod.pause();
  }
}

describe('the cached ranking epoch of a host', () => {
  let proxy: SilentProxy;
  let app: TestApp;
  let epochs: ScoreEpochService;
  let clock: Clock;

  beforeAll(async () => {
    proxy = await SilentProxy.start({ uri: process.env.TEST_MONGODB_URI! });
    // Jobs would read the epoch themselves.
    app = await startApp({ env: { MONGODB_URI: proxy.uri, JOBS_ENABLED: 'false' } });
    epochs = app.app.get(ScoreEpochService);
  });
  beforeEach(() => void (clock = takeClock()));
  afterEach(() => clock.release());
  afterAll(async () => {
    proxy.silence(false);
    await app.close();
    await proxy.close();
  });

  /** Flips the epoch, like a run on another host. */
  async function flip(epoch: number): Promise<void> {
    const row = { epoch, slot: epoch % 2 === 0 ? ('B' as const) : ('A' as const), scoredAt: new Date(), filling: null };
    await app.db
      .collection<StoredScoreEpoch>('score_epochs')
      .updateOne({ _id: 'posts' }, { $set: row }, { upsert: true });
  }

  it('is never that of two flips ago on a host without requests', async () => {
    let last = 0;
    // A database that does not respond for half a second counts as unavailable, also on a busy machine.
    const found = await until(async () => {
      await flip((last += 2));
      expect(await epochs.refresh()).toMatchObject({ epoch: last });
      await flip(last + 1);
      await flip(last + 2);
      clock.advance(2_100);
      const current = await epochs.current();
      return current.epoch > last ? current : null;
    });
    expect(found).toMatchObject({ epoch: last + 2, slot: 'B' });
  });

  it('is served while the database is down, and only the first read waits for it', async () => {
    await flip(5);
    await epochs.refresh();
    clock.advance(2_100);
    proxy.silence(true);
    const first = epochs.current();
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ epoch: 5 });
    // The other callers get the cached epoch, not a promise.
    for (let asked = 0; asked < 100; asked++) expect(epochs.current()).toMatchObject({ epoch: 5 });

    proxy.silence(false);
    expect(await epochs.refresh()).toMatchObject({ epoch: 5 });
    clock.advance(2_100);
    proxy.silence(true);
    expect(epochs.current()).toBeInstanceOf(Promise);
  });
});
