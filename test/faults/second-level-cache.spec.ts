import type { TestClient } from '../support/client.js';
import { describeWith } from '../support/optional.js';
import { RedisServer } from '../support/redis.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';

describeWith('redis-server', 'two hosts that share their responses in Redis', (binary) => {
  const redis = new RedisServer(binary);
  beforeAll(() => redis.start());
  afterAll(() => redis.remove());
  const served = useServer({
    hosts: 2,
    environment: () => ({ CACHE_L2: 'true', CACHE_FEED_TTL_MS: '600000', REDIS_URL: redis.url }),
  });
  const client = (at: number): TestClient => served.clients[at % 2]!;

  async function look(client: TestClient, id: string) {
    const { status, body, headers } = await client.get<{ title: string }>(`/v1/posts/${id}`);
    expect(status).toBe(200);
    return { title: body.title, state: headers.get('x-cache'), age: headers.get('age') };
  }
  const edit = async (at: number, id: string, title: string): Promise<void> => {
    const { token } = served.author;
    const { headers } = await client(at).get(`/v1/posts/${id}`, { token });
    const options = { token, body: { title }, headers: { 'if-match': headers.get('etag')! } };
    expect((await client(at).patch(`/v1/posts/${id}`, options)).status).toBe(200);
  };
  /** Waits until one host uses a page that the other has computed. Each attempt needs a new post that neither has cached. */
  const untilShared = () =>
    until(async () => {
      const { id } = await publish(served);
      expect((await look(client(0), id)).state).toBe('MISS');
      return (await look(client(1), id)).state === 'HIT' || null;
    });

  it('use responses that the other has computed, and never one that an edit has outdated', async () => {
    await untilShared();
    const { id } = await publish(served);
    let shown = '';
    for (let round = 0; round < 20; round++) {
      const title = `Title ${round}`;
      await edit(round % 2, id, title);
      // The writing host shows the edit at once, and the other host after the event. Neither shows the old title after that.
      expect((await look(client(round), id)).title).toBe(title);
      await until(async () => {
        shown = (await look(client(round + 1), id)).title;
        return shown === title || null;
      });
      for (const one of served.clients) expect((await look(one, id)).title).toBe(title);
    }
  });

  it('compute for themselves while Redis hangs or is down, and share again after it', async () => {
    const { id } = await publish(served);
    redis.freeze();
    await edit(0, id, 'written while it hung');
    expect((await look(client(0), id)).title).toBe('written while it hung');
    await redis.kill();
    await edit(1, id, 'written while it was gone');
    expect((await look(client(1), id)).title).toBe('written while it was gone');
    await redis.start();
    await untilShared();
  });
});
