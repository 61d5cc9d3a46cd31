import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { differences } from '../support/audit.js';
import { scale } from '../support/scale.js';
import { useServed } from '../support/served.js';
import { until } from '../support/until.js';

const KILLS = scale('draftKills');
const DRAFTS = scale('drafts');

describe('drafts that are due while the process that publishes them is killed', () => {
  const served = useServed({ HTTP_WORKERS: '2', JOBS_ENABLED: 'true' });

  it('are published once each', async () => {
    const { client, host, author } = served;
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    const db = mongo.db(host.childEnvironment()['MONGODB_DATABASE']);
    try {
      const publishAt = new Date(Date.now() + 3_600_000).toISOString();
      for (let at = 0; at < DRAFTS; at++) {
        const body = { title: `Draft ${at}`, content: 'Text.', type: 'story' };
        const draft = await client.post('/v1/drafts', { token: author.token, body });
        const path = `/v1/drafts/${draft.body.id}/schedule`;
        expect((await client.put(path, { token: author.token, body: { publishAt } })).status).toBe(200);
      }
      // the time comes while the process is killed again and again
      const kills = (async () => {
        for (let count = 0; count < KILLS; count++) {
          const [pid] = await until(() => (host.workers('jobs').length > 0 ? host.workers('jobs') : null));
          await until(async () => ((await left()) < DRAFTS - count * 5 || count === 0 ? true : null));
          process.kill(pid!, 'SIGKILL');
          await sleep(200);
        }
      })();
      const left = () => db.collection('drafts').countDocuments();
      await db.collection('drafts').updateMany({}, { $set: { publishAt: new Date(Date.now() - 1_000) } });
      await kills;
      await until(
        async () => ((await left()) === 0 ? true : null),
        () => 'some were not published',
      );
      const posts = await db
        .collection('posts')
        .find({ title: /^Draft / })
        .toArray();
      expect(posts.map(({ title }) => title as string).sort()).toEqual(
        Array.from({ length: DRAFTS }, (_, at) => `Draft ${at}`).sort(),
      );
      expect(await differences(db)).toEqual([]);
    } finally {
      await mongo.close();
    }
  });
});
