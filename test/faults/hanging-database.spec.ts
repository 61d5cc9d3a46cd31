import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { ConcurrencyLimiter } from '../../src/platform/http/load-shedding/concurrency-limiter.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { testMongodBinary } from '../support/mongo.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { type Mongod, Mongods } from './suite/mongods.js';

const FRESH_MS = 400;
const STALE_MS = 400;
const PLACES = 100;
const COLD = 150;
const ROUNDS = 20;
const NEW = 'Renamed';
const REFUSED = '503 overloaded';
const BRIDGED = '200 STALE 111 - "Revalidation Failed"';

describe('a hanging database with more requests than the limit', () => {
  let mongods: Mongods;
  let mongod: Mongod;
  let app: TestApp;
  let author: Person;
  let postId: string;
  let hot: string;

  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 1);
    [mongod] = mongods.members as [Mongod];
    app = await startApp({
      env: {
        MONGODB_URI: mongods.uri,
        HTTP_MAX_IN_FLIGHT: String(PLACES),
        CACHE_FEED_TTL_MS: String(FRESH_MS),
        CACHE_STALE_MS: String(STALE_MS),
        // With the default the hang would be detected after half of this, and the slots would be free again.
        MONGODB_SERVER_SELECTION_TIMEOUT_MS: '60000',
      },
    });
    author = await app.world.person();
    postId = (await app.world.post({ by: author })).id;
    hot = `/v1/posts/${postId}`;
  });
  afterAll(async () => {
    mongod?.thaw();
    await app?.close();
    await mongods?.remove();
  });

  const stateOf = ({ status, headers, body }: Answer): string =>
    [status, headers.get('x-cache') ?? body.code, headers.get('warning')].filter((part) => part !== null).join(' ');
  const cold = (): Promise<Answer> => app.client.get(`/v1/posts/${new ObjectId().toHexString()}`);
  const health = async (of: 'live' | 'ready'): Promise<number> => (await app.client.get(`/health/${of}`)).status;

  it('new reads are 503, cached ones are served stale, and all is well when it wakes', async () => {
    const { title } = (await app.client.get(hot)).body;
    // Writes without an invalidation, so that the old title is that of the cached response.
    await app.db.collection('posts').updateOne({ _id: ObjectId.createFromHexString(postId) }, { $set: { title: NEW } });
    mongod.freeze();
    const waiting = Array.from({ length: COLD }, cold);
    const limiter = app.app.get(ConcurrencyLimiter);
    await until(() => (limiter.shed >= COLD - PLACES ? true : null));
    expect(limiter.inFlight).toBe(PLACES);
    await sleep(FRESH_MS + STALE_MS);
    const seen: string[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [other, own, page] = await Promise.all([
        cold(),
        app.client.get(hot, { token: author.token }),
        app.client.get(hot),
      ]);
      expect(Number(other.headers.get('retry-after'))).toBe(1);
      seen.push([stateOf(other), ...[own, page].map((answer) => `${stateOf(answer)} ${answer.body.title}`)]);
    }
    // All slots stay taken, so none of these responses waited for a slot.
    expect(seen).toEqual(Array(ROUNDS).fill([REFUSED, `${BRIDGED} ${title}`, `${BRIDGED} ${title}`]));
    await until(async () => ((await health('ready')) === 503 ? true : null));
    expect(await health('live')).toBe(200);
    mongod.thaw();
    for (const { status, headers } of await Promise.all(waiting)) {
      expect([404, 503]).toContain(status);
      if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    const fresh = await until(async () => {
      const answer = await app.client.get(hot);
      expect(answer.status).toBe(200);
      return answer.body.title === NEW ? answer : null;
    });
    expect(fresh.headers.get('warning')).toBeNull();
    expect((await cold()).status).toBe(404);
    expect(await health('ready')).toBe(200);
  });
});
