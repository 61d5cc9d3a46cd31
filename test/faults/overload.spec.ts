import { testMongodBinary } from '../support/mongo.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { type HttpAnswer, HttpClient } from './suite/http-client.js';
import { type Mongod, Mongods } from './suite/mongods.js';

const PLACES = 12;
const REQUESTS = 60;
const HOT = '/v1/feed?limit=20';

/** Requests hold their slots while the database is stopped, so the figures depend on no clock. The benchmark measures goodput. */
describe('a server with more requests than slots', () => {
  let mongods: Mongods;
  let mongod: Mongod;
  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 1);
    [mongod] = mongods.members as [Mongod];
  });
  const server = useServer({
    environment: () => ({
      MONGODB_URI: mongods.uri,
      HTTP_MAX_IN_FLIGHT: String(PLACES),
      CACHE_FEED_TTL_MS: '600000',
      // With the default the hang would be detected after half of this.
      MONGODB_SERVER_SELECTION_TIMEOUT_MS: '60000',
    }),
  });
  afterAll(async () => {
    mongod?.thaw();
    await mongods?.remove();
  });

  it('responds 503 with Retry-After beyond them, and 200 to hits and health checks', async () => {
    await publish(server);
    const hits = new HttpClient(server.url);
    await until(async () => (await hits.send({ method: 'GET', path: HOT })).headers['x-cache'] === 'HIT' || null);
    const token = server.author.token;
    const client = new HttpClient(server.url, false);
    // The server computes a private page for each request.
    const cold = (): Promise<HttpAnswer> => client.send({ method: 'GET', path: '/v1/posts/mine?limit=60', token });
    const refused: HttpAnswer[] = [];
    mongod.freeze();
    const sent = Array.from({ length: REQUESTS }, async () => {
      const response = await cold();
      if (response.status === 503) refused.push(response);
      return response;
    });
    await until(() => refused.length >= REQUESTS - PLACES || null);
    for (let turn = 0; turn < 20; turn++) {
      for (const path of [HOT, '/health/live'])
        expect([path, (await hits.send({ method: 'GET', path })).status]).toEqual([path, 200]);
      expect((await cold()).status).toBe(503);
    }
    expect(refused).toHaveLength(REQUESTS - PLACES);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);

    mongod.thaw();
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(PLACES);
    expect((await cold()).status).toBe(200);
    client.close();
    hits.close();
  });
});
