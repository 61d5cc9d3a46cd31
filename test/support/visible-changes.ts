import { signUp, TEST_PASSWORD } from './accounts.js';
import { type Lag, lagOf } from './lag.js';
import { type Pinned, pinToEach } from './pinned.js';
import { publish, quantile, type Server } from './server.js';

const FEED = '/v1/feed?sort=latest&limit=5';

export type VisibleChange = Lag & {
  what: string;
};

type Response = { status: number };

/** Writes changes at the first host and watches each at every web process until all processes show the change. */
export class VisibleChanges {
  readonly seen: VisibleChange[] = [];

  private constructor(
    private readonly server: Server,
    /** A connection carries one request at a time, so each URL has its own. */
    private readonly forFeed: Pinned[],
    private readonly forPost: Pinned[],
  ) {}

  static async at(server: Server, readersUrl: string, workers: number): Promise<VisibleChanges> {
    await publish(server);
    return new VisibleChanges(server, await pinToEach(readersUrl, workers), await pinToEach(readersUrl, workers));
  }

  /** Creates, edits, hides, shows and deletes a post, and deletes an account with a post. */
  async round(round: number): Promise<void> {
    const { client, author } = this.server;
    const { token } = author;
    const title = `Post of round ${round}.`;
    let id = '';
    const create = async (): Promise<Response> => {
      const body = { title, content: 'The engine weaves patterns.', type: 'article' };
      const response = await client.post('/v1/posts', { token, body });
      id = response.body.id;
      return response;
    };
    await this.watch('create', FEED, (text) => text.includes(title), 201, create);
    const path = `/v1/posts/${id}`;
    const patch = (body: object) => () => client.patch(path, { token, body });
    const isEdited = (text: string): boolean => text.includes('Edited.');
    await this.watch('edit', path, isEdited, 200, patch({ title: 'Edited.' }));
    await this.watch('edit in the feed', FEED, (text) => text.includes('Again.'), 200, patch({ title: 'Again.' }));
    await this.watch('hide', path, (_, status) => status === 404, 200, patch({ isPublic: false }));
    await this.watch('show', path, (_, status) => status === 200, 200, patch({ isPublic: true }));
    const isWithout = (text: string): boolean => !text.includes(id);
    await this.watch('delete', FEED, isWithout, 204, () => client.delete(path, { token }));
    const leaver = await signUp(client);
    const last = `Last words of round ${round}.`;
    await this.watch(
      'last words',
      FEED,
      (text) => text.includes(last),
      201,
      async () => {
        const body = { title: last, content: 'Good bye.', type: 'article' };
        return client.post('/v1/posts', { token: leaver.token, body });
      },
    );
    const leave = { token: leaver.token, body: { password: TEST_PASSWORD } };
    const isAway = (text: string): boolean => !text.includes(last);
    await this.watch('delete an account', FEED, isAway, 204, () => client.delete('/v1/users/me', leave));
  }

  /** Number of old responses after a new one, for all changes. */
  get relapses(): number {
    return this.seen.reduce((sum, { relapses }) => sum + relapses, 0);
  }

  close(): void {
    for (const { client } of [...this.forFeed, ...this.forPost]) client.close();
    const show = (values: number[]): string =>
      [0.5, 0.95, 1].map((share) => quantile(values, share).toFixed(1)).join(' / ');
    const lags = this.seen.map(({ ms }) => ms);
    console.log(`${lags.length} changes: old until ${show(lags)} ms after the response (p50 / p95 / max)`);
  }

  private async watch(
    what: string,
    path: string,
    isNew: (text: string, status: number) => boolean,
    expected: number,
    write: () => Promise<Response>,
  ): Promise<void> {
    const pinned = path === FEED ? this.forFeed : this.forPost;
    const lag = await lagOf(pinned, { path, isNew: ({ text, status }) => isNew(text, status) }, async () => {
      const { status } = await write();
      expect([what, status]).toEqual([what, expected]);
    });
    this.seen.push({ what, ...lag });
  }
}
