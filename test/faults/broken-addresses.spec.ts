import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '../support/app.js';
import { testMongodBinary } from '../support/mongo.js';
import { until } from '../support/until.js';
import { type Mongod, Mongods } from './suite/mongods.js';

const FRESH_MS = 400;
const ROUNDS = 5;
const HOT = '/v1/feed?limit=17';
const OTHER = '/v1/feed?limit=18';
/** The server refuses each query, but a cache that compares with defaults would see the hot page. */
const BROKEN = [
  'cursor=',
  'tag=',
  'type=',
  'author=',
  'sort=',
  'window=',
  'cursor=&tag=',
  'limit=17',
  'surprise=1',
  '%63ursor=',
];

describe('a hot page while the database hangs', () => {
  let mongods: Mongods;
  let mongod: Mongod;
  let app: TestApp;

  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 1);
    [mongod] = mongods.members as [Mongod];
    app = await startApp({
      env: {
        MONGODB_URI: mongods.uri,
        CACHE_FEED_TTL_MS: String(FRESH_MS),
        CACHE_STALE_MS: '600000',
      },
    });
    const author = await app.world.person();
    await app.world.post({ by: author });
  });
  afterAll(async () => {
    mongod?.thaw();
    await app?.close();
    await mongods?.remove();
  });

  const look = async (path: string): Promise<string> => {
    const answer = await app.client.get(path);
    return `${answer.status} ${answer.headers.get('x-cache') ?? answer.body.code}`;
  };

  it('is served from the cache during requests for broken versions of it', async () => {
    for (const page of [HOT, OTHER]) expect((await app.client.get(page)).status).toBe(200);
    mongod.freeze();
    await sleep(FRESH_MS);
    for (let round = 0; round < ROUNDS; round++) {
      for (const query of BROKEN) {
        const seen = [query, await look(`${HOT}&${query}`), await look(HOT), await look(OTHER)];
        expect(seen).toEqual([query, '400 invalid_input', '200 STALE', '200 STALE']);
      }
    }
    mongod.thaw();
    await until(async () => ((await look(HOT)) === '200 HIT' ? true : null));
  });
});
