import { ObjectId } from 'mongodb';
import { signUp } from './accounts.js';
import type { Pinned } from './pinned.js';
import { publish, type Server } from './server.js';
import type { SpawnedHost } from './spawned-host.js';
import { until } from './until.js';
import type { WithholdingProxy } from './withholding-proxy.js';

type Options = { readers: Pinned[]; proxy: WithholdingProxy; edits: number };

/** Edits posts, each of another account because edits of one account are serialized, at a host that is killed before its response. */
export class KilledCommits {
  private constructor(
    private readonly server: Server,
    private readonly options: Options,
    /** Tokens by post. */
    private readonly tokens: Map<string, string>,
  ) {}

  static async of(server: Server, options: Options): Promise<KilledCommits> {
    const { client } = server;
    const tokens = new Map<string, string>();
    for (let count = 0; count < options.edits; count++) {
      const author = await signUp(client);
      tokens.set((await publish({ client, author })).id, author.token);
    }
    return new KilledCommits(server, options, tokens);
  }

  /** Edits all posts at this host, kills it after all commits, and waits until every reader shows them. Restarts the host. */
  async round(host: SpawnedHost, title: string): Promise<void> {
    const { server, tokens } = this;
    const { proxy, edits } = this.options;
    const url = await host.url();
    for (let times = 0; times < 3; times++) await this.titles();
    proxy.isWithholding = true;
    const editing = [...tokens].map(([id, token]) => edit(`${url}/v1/posts/${id}`, token, title));
    const edited = { _id: { $in: [...tokens.keys()].map((id) => new ObjectId(id)) }, title };
    await until(
      async () => (await server.db.collection('posts').countDocuments(edited)) === edits || null,
      () => 'not all of them committed',
    );
    host.signalGroup('SIGKILL');
    // No edit was acknowledged. One that waited too long for its commit got 503 before the kill.
    expect((await Promise.all(editing)).filter((status) => status !== 'broken' && status !== 503)).toEqual([]);
    await until(
      async () => (await this.titles()).every((one) => one === title) || null,
      () => 'an invalidation was lost',
    );
    proxy.isWithholding = false;
    await host.untilGone();
    host.start();
    await host.url();
  }

  private async titles(): Promise<string[]> {
    const titleAt = async ({ client }: Pinned, id: string): Promise<string> => {
      const { text } = await client.send({ method: 'GET', path: `/v1/posts/${id}` });
      return (JSON.parse(text) as { title: string }).title;
    };
    const ids = [...this.tokens.keys()];
    const ofAll = this.options.readers.map((reader) => Promise.all(ids.map((id) => titleAt(reader, id))));
    return (await Promise.all(ofAll)).flat();
  }
}

const edit = (url: string, token: string, title: string): Promise<number | 'broken'> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ title }) }).then(
    ({ status }) => status,
    () => 'broken',
  );
};
