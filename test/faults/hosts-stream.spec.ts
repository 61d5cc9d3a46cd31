import { setTimeout as sleep } from 'node:timers/promises';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { publish, useServed } from '../support/served.js';
import { type SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { startOther } from '../support/two-hosts.js';
import { UnreliableNetwork } from '../support/unreliable-network.js';

const WORKERS = 2;
const CUT_MS = scale('cutMs');
/** 2 s are promised; the rest is what a busy machine adds. Without a promise it would be 30 s. */
const OLDEST_MS = 4_500;
const EDIT_EVERY_MS = 200;
/** by then an edit is everywhere */
const USUAL_MS = 500;
const CALM_MS = 2_000;

/** What was written last, and how long it is outdated by now. */
class Versions {
  private readonly replacedAt: number[] = [];

  next(): string {
    return `Version ${this.replacedAt.length}.`;
  }

  /** The next one is in the database. */
  wrote(): void {
    this.replacedAt.push(performance.now());
  }

  /** How long a newer one was there when the answer was asked for. */
  ageOf(text: string, beganAt: number): number {
    const version = Number(/Version (\d+)\./.exec(text)![1]);
    const replacedAt = this.replacedAt[version + 1];
    return replacedAt === undefined ? 0 : Math.max(0, beganAt - replacedAt);
  }
}

describe('a host that hears nothing of the others for a while', () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS), JOBS_ENABLED: 'true' });
  let other: SpawnedHost;
  let network: UnreliableNetwork;
  let pinned: Pinned[];

  beforeAll(async () => {
    network = await UnreliableNetwork.start({ uri: process.env.TEST_MONGODB_URI! });
    other = await startOther(served, { MONGODB_URI: network.uri });
    pinned = await pinToEach(await other.url(), WORKERS);
  });
  afterAll(async () => {
    for (const { client } of pinned ?? []) client.close();
    await other?.remove();
    await network?.close();
  });

  /** Edits at the one host and reads at the other, before, during and after the cut. */
  async function watch(cut: () => void, heal: () => void) {
    const versions = new Versions();
    const { id } = await publish(served, { title: versions.next() });
    versions.wrote();
    const path = `/v1/posts/${id}`;
    let isOver = false;
    let lastOldAt = -Infinity;
    const seen = { oldestHitMs: 0, marked: 0, answers: 0 };
    const edit = async (): Promise<void> => {
      for (; !isOver; await sleep(EDIT_EVERY_MS)) {
        const body = { title: versions.next() };
        expect((await served.client.patch(path, { token: served.author.token, body })).status).toBe(200);
        versions.wrote();
      }
    };
    const read = async ({ client }: Pinned): Promise<void> => {
      for (; !isOver; await sleep(10)) {
        const beganAt = performance.now();
        const { status, headers, text } = await client.send({ method: 'GET', path });
        if (status !== 200) {
          lastOldAt = performance.now();
          continue;
        }
        const ageMs = versions.ageOf(text, beganAt);
        const isMarked = headers['warning'] !== undefined;
        seen.answers++;
        if (isMarked) seen.marked++;
        else seen.oldestHitMs = Math.max(seen.oldestHitMs, ageMs);
        if (isMarked || ageMs > USUAL_MS) lastOldAt = performance.now();
      }
    };
    const loops = Promise.all([edit(), ...pinned.map(read)]);
    const isCalm = () => (performance.now() - lastOldAt > CALM_MS && seen.answers > 100) || null;
    try {
      await until(isCalm);
      cut();
      await sleep(CUT_MS);
      heal();
      const healedAt = performance.now();
      lastOldAt = Math.max(lastOldAt, healedAt);
      await until(isCalm, () => 'the host did not catch up');
      return { ...seen, recoveredMs: lastOldAt - healedAt };
    } finally {
      isOver = true;
      await loops;
    }
  }

  it('gives nothing older than two seconds as fresh while the process that listens stands still', async () => {
    const [pid] = other.workers('jobs');
    const { answers, oldestHitMs, marked, recoveredMs } = await watch(
      () => process.kill(pid!, 'SIGSTOP'),
      () => process.kill(pid!, 'SIGCONT'),
    );
    console.log(
      `${answers} answers: outdated by ${oldestHitMs.toFixed(0)} ms at most, and not at all ${recoveredMs.toFixed(0)} ms after the pause`,
    );
    expect(marked).toBe(0);
    expect(oldestHitMs).toBeLessThan(OLDEST_MS);
  });

  it('says of everything older that it could not be renewed, while the database is out of reach', async () => {
    const { answers, oldestHitMs, marked, recoveredMs } = await watch(
      () => network.vanish(),
      () => network.appear(),
    );
    console.log(
      `${answers} answers, ${marked} marked: others were outdated by ${oldestHitMs.toFixed(0)} ms at most, ` +
        `and none at all ${recoveredMs.toFixed(0)} ms after the network was back`,
    );
    expect(marked).toBeGreaterThan(0);
    expect(oldestHitMs).toBeLessThan(OLDEST_MS);
  });
});
