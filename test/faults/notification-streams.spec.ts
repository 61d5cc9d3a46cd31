import { ObjectId } from 'mongodb';
import { OpenCanvas } from '../../sdk/src/index.js';
import { pairId } from '../../src/common/pair-id.js';
import type { PostWatch } from '../../src/notifications/subscription.schema.js';
import type { Account } from './suite/cast.js';
import { scale } from '../support/scale.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';

const PEOPLE = scale('streams');
const POSTS = 6;

describe('streams of notifications during rolling restarts', () => {
  const served = useServer({ processes: 2, jobs: true, people: PEOPLE, posts: POSTS });
  const abort = new AbortController();
  afterAll(() => abort.abort());

  it('lose no event, and connect again only after 1 to 5 s', async () => {
    const { host, client, author, people, postIds, db } = served;
    const ids = postIds.map((id) => new ObjectId(id));
    const watches = people.flatMap(({ id }) =>
      ids.map((postId) => ({ _id: pairId(new ObjectId(id), postId), postId, level: 'watching' as const })),
    );
    await db.collection<PostWatch>('post_watches').insertMany(watches);
    const readers = people.map((account) => new Reader(account, served.url, served.tokens.of(account), abort.signal));
    await until(() => readers.every(({ isOpen }) => isOpen) || null);

    for (const [at, id] of postIds.entries()) {
      const body = { content: `Comment ${at}.` };
      expect((await client.post(`/v1/posts/${id}/comments`, { token: author.token, body })).status).toBe(201);
      if (at % 3 !== 0) continue;
      const before = host.output.length;
      host.signal('SIGUSR2');
      await until(() => /Restarted \d+ processes/.test(host.output.slice(before)) || null);
    }

    // The author of a post gets `comment` in place of `watched`.
    const missing = () => readers.filter(({ comments }) => comments.size < POSTS).map(({ comments }) => [...comments]);
    await until(
      () => missing().length === 0 || null,
      () => `missed: ${JSON.stringify(missing().slice(0, 5))}`,
    );
    abort.abort();
    const waits = readers.flatMap((reader) => reader.waits);
    // A reader that still waits at the second restart has one wait.
    expect(readers.filter((reader) => reader.waits.length === 0)).toEqual([]);
    // The server requests 1 to 5 s. After a refused request the client waits less at first.
    expect(waits.filter((wait) => wait < 1_000 || wait > 5_000)).toEqual([]);
    expect(readers.flatMap(({ failures }) => failures)).toEqual([]);
  });
});

class Reader {
  isOpen = false;
  readonly comments = new Set<string>();
  readonly waits: number[] = [];
  readonly failures: string[] = [];

  constructor(account: Account, baseUrl: string, apiToken: string, signal: AbortSignal) {
    const sleep = async (ms: number): Promise<void> => {
      this.waits.push(ms);
      await new Promise((resolve) => setTimeout(resolve, ms));
    };
    const client = new OpenCanvas({ baseUrl, apiToken, sleep });
    void this.read(client, signal).catch((error: unknown) => {
      if (!signal.aborted) this.failures.push(`${account.username}: ${String(error)}`);
    });
  }

  private async read(client: OpenCanvas, signal: AbortSignal): Promise<void> {
    for await (const { event, data } of client.stream({ signal })) {
      this.isOpen = true;
      if (event === 'notification') this.comments.add(data.comment!.content);
    }
  }
}
