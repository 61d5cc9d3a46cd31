import { Agent, get } from 'node:http';
import { quantile, publish, useServed } from '../support/served.js';

const LIMIT_MS = 100;
const READS = 40;
const ROUNDS = 8;

describe('an invalidation', () => {
  const served = useServed({ HTTP_WORKERS: '2' });

  /** Over a connection of its own, so that the primary hands it to the worker whose turn it is. */
  const read = (path: string): Promise<{ status: number; text: string; requestId: string | undefined }> =>
    new Promise((resolve, reject) => {
      get(served.url + path, { agent: new Agent({ keepAlive: false }) }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () =>
          resolve({ status: response.statusCode!, text, requestId: response.headers['x-request-id'] as string }),
        );
      }).on('error', reject);
    });

  /** Fills every worker's cache with what is there now. */
  const warm = async (paths: string[]): Promise<void> => {
    for (const path of paths) for (let turn = 0; turn < 8; turn++) await read(path);
  };

  /** Milliseconds after the write's answer at which the last read that still showed the old state began; 0 when none did. */
  async function lag(path: string, isNew: (answer: { status: number; text: string }) => boolean): Promise<number> {
    const answeredAt = performance.now();
    let lastOld = 0;
    let run = 0;
    while (run < READS) {
      const beganAt = performance.now() - answeredAt;
      if (isNew(await read(path))) run++;
      else {
        run = 0;
        lastOld = Math.max(beganAt, 0.1);
        if (lastOld > 5_000) return lastOld;
      }
    }
    return lastOld;
  }

  it('fresh connections do reach every worker in turn', async () => {
    const marks = new Set<string>();
    for (let turn = 0; turn < READS; turn++) marks.add((await read('/health/live')).requestId!.split('-')[1]!);
    expect(marks.size).toBe(2);
  });

  it(`reaches every worker within ${LIMIT_MS} ms: create, edit, hide, publish, delete`, async () => {
    const { client, author } = served;
    const { token } = author;
    const FEED = '/v1/feed?sort=latest&limit=5';
    const measured: Record<string, number[]> = {};
    const measure = async (what: string, path: string, isNew: Parameters<typeof lag>[1]): Promise<void> => {
      (measured[what] ??= []).push(await lag(path, isNew));
    };
    for (let round = 0; round < ROUNDS; round++) {
      await warm([FEED]);
      const { id } = await publish(served, { title: `Post of round ${round}` });
      await measure('create', FEED, ({ text }) => text.includes(id));

      const own = `/v1/posts/${id}`;
      const title = `Edited in round ${round}`;
      await warm([FEED, own]);
      expect((await client.patch(own, { token, body: { title } })).status).toBe(200);
      await measure('edit', round % 2 === 0 ? FEED : own, ({ text }) => text.includes(title));

      await warm([FEED, own]);
      expect((await client.patch(own, { token, body: { isPublic: false } })).status).toBe(200);
      if (round % 2 === 0) await measure('hide', FEED, ({ text }) => !text.includes(id));
      else await measure('hide', own, ({ status }) => status === 404);

      await warm([FEED, own]);
      expect((await client.patch(own, { token, body: { isPublic: true } })).status).toBe(200);
      await measure('publish', round % 2 === 0 ? FEED : own, ({ status, text }) => status === 200 && text.includes(id));

      await warm([FEED, own]);
      expect((await client.delete(own, { token })).status).toBe(204);
      if (round % 2 === 0) await measure('delete', own, ({ status }) => status === 404);
      else await measure('delete', FEED, ({ text }) => !text.includes(id));
    }
    for (const [what, values] of Object.entries(measured)) {
      console.log(
        `${what}: old until at most ${Math.max(...values).toFixed(1)} ms after the answer (median ${quantile(values, 0.5).toFixed(1)}, ${values.length} rounds x ${READS} connections)`,
      );
    }
    expect(Math.max(...Object.values(measured).flat())).toBeLessThanOrEqual(LIMIT_MS);
  }, 120_000);
});
