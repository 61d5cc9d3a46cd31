import { MongoClient, ObjectId } from 'mongodb';
import { signUp } from '../support/accounts.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { publish, useServed } from '../support/served.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { WithholdingProxy } from '../support/withholding-proxy.js';

const WORKERS = 2;
const KILLS = scale('hostsKills');
const EDITS = 50;

describe('a host that is killed between its commits and its messages', () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS), JOBS_ENABLED: 'true' });

  it(`loses none of ${KILLS * EDITS} invalidations: the other host hears of them by the rows that committed`, async () => {
    const { client, url, host } = served;
    // one each: the edits of one author wait for each other
    const tokens = new Map<string, string>();
    for (let count = 0; count < EDITS; count++) {
      const author = await signUp(client);
      tokens.set((await publish({ client, author })).id, author.token);
    }
    const posts = [...tokens.keys()];
    const pinned = await pinToEach(url, WORKERS);
    const proxy = await WithholdingProxy.start({ uri: process.env.TEST_MONGODB_URI! });
    const environment = host.childEnvironment({
      HTTP_PORT: '0',
      MONGODB_URI: proxy.uri,
      // each edit keeps a connection until the kill
      MONGODB_POOL_SIZE: '400',
      MONGODB_WAIT_QUEUE_TIMEOUT_MS: '20000',
    });
    const killed = new SpawnedHost('dist/src/main.js', environment as Record<string, string>);
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    const stored = mongo.db(String(environment['MONGODB_DATABASE'])).collection('posts');
    const edit = async (editor: string, id: string, title: string): Promise<number | 'broken'> => {
      const headers = { authorization: `Bearer ${tokens.get(id)}`, 'content-type': 'application/json' };
      const request = { method: 'PATCH', headers, body: JSON.stringify({ title }) };
      return fetch(`${editor}/v1/posts/${id}`, request).then(
        ({ status }) => status,
        () => 'broken',
      );
    };
    const titlesAt = ({ client }: Pinned) =>
      Promise.all(
        posts.map(async (id) => JSON.parse((await client.send({ method: 'GET', path: `/v1/posts/${id}` })).text).title),
      );
    const tookMs: number[] = [];
    try {
      for (let round = 0; round < KILLS; round++) {
        killed.start();
        const editor = await killed.url();
        // every process of the other host keeps every answer
        for (let times = 0; times < 3; times++) for (const worker of pinned) await titlesAt(worker);
        const title = `Committed before kill ${round}`;
        proxy.isWithholding = true;
        const editing = posts.map((id) => edit(editor, id, title));
        const edited = { _id: { $in: posts.map((id) => new ObjectId(id)) }, title };
        await until(
          async () => (await stored.countDocuments(edited)) === EDITS || null,
          () => 'not all of them committed',
        );
        killed.signalGroup('SIGKILL');
        const killedAt = performance.now();
        expect(new Set(await Promise.all(editing))).toEqual(new Set(['broken']));
        await until(
          async () => (await Promise.all(pinned.map(titlesAt))).flat().every((one) => one === title) || null,
          () => 'an invalidation was lost',
        );
        tookMs.push(performance.now() - killedAt);
        proxy.isWithholding = false;
        await killed.untilGone();
      }
    } finally {
      for (const one of pinned) one.client.close();
      await killed.remove();
      await proxy.close();
      await mongo.close();
    }
    console.log(`none of ${KILLS * EDITS} lost; all seen ${Math.max(...tookMs).toFixed(0)} ms after the kill at most`);
  });
});
