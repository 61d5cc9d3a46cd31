import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';
import { signUp, type TestAccount } from '../support/accounts.js';
import { differences } from '../support/audit.js';
import { scale } from '../support/scale.js';
import { publish, useServed } from '../support/served.js';
import { until } from '../support/until.js';

const KILLS = scale('outboxKills');
const POSTS = scale('outboxPosts');
const READERS = 4;

/** Slow enough that most kills meet work that is under way. */
const SETTINGS = { HTTP_WORKERS: '2', JOBS_ENABLED: 'true', SWEEP_GRACE_MS: '0', SWEEP_ROWS_PER_SECOND: '200' };

describe('a jobs process that is killed again and again', () => {
  const served = useServed(SETTINGS);

  it('has every effect once: nothing is left of what was deleted, every counter equals its rows, every copy has the new name', async () => {
    const { client, host } = served;
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    const db = mongo.db(host.childEnvironment()['MONGODB_DATABASE']);
    const rows = (collection: string, filter: object) => db.collection(collection).countDocuments(filter);
    try {
      const readers: TestAccount[] = [];
      for (let at = 0; at < READERS; at++) readers.push(await signUp(client));
      const posts: string[] = [];
      for (let at = 0; at < POSTS; at++) {
        const { id } = await publish(served);
        posts.push(id);
        await Promise.all(
          readers.map(async ({ token }) => {
            await client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
            await client.post(`/v1/posts/${id}/comments`, { token, body: { content: 'Well.' } });
          }),
        );
      }
      const gone = posts.filter((_, at) => at % 2 === 0).map((id) => new ObjectId(id));
      const kept = posts.filter((_, at) => at % 2 === 1).map((id) => new ObjectId(id));
      const [renamed, ended] = readers as [TestAccount, TestAccount];
      const kills = (async () => {
        for (let count = 0; count < KILLS; count++) {
          const [pid] = await until(() => (host.workers('jobs').length > 0 ? host.workers('jobs') : null));
          process.kill(pid!, 'SIGKILL');
          // longer each time, as the supervisor waits longer between its attempts
          await sleep(Math.min(500 + 100 * count, 2_000));
        }
      })();
      for (const id of gone) {
        expect((await client.delete(`/v1/posts/${id.toHexString()}`, { token: served.author.token })).status).toBe(204);
      }
      const changed = { token: renamed.token, body: { fullName: 'Another Name' } };
      expect((await client.patch('/v1/users/me', changed)).status).toBe(200);
      const end = { token: ended.token, body: { password: ended.password } };
      expect((await client.delete('/v1/users/me', end)).status).toBe(204);
      await kills;
      await until(
        async () => ((await rows('outbox', { stage: { $exists: true } })) === 0 ? true : null),
        () => 'the outbox was not worked off',
      );
      for (const collection of ['posts', 'post_bodies', 'post_html'])
        expect(await rows(collection, { _id: { $in: gone } })).toBe(0);
      expect(await rows('comments', { postId: { $in: gone } })).toBe(0);
      expect(await rows('interactions', { targetId: { $in: gone } })).toBe(0);
      expect(await rows('posts', { _id: { $in: kept }, deletedAt: null })).toBe(kept.length);
      expect(await rows('interactions', { targetId: { $in: kept } })).toBe(kept.length * (READERS - 1));
      const ofRenamed = { authorId: new ObjectId(renamed.id), postId: { $in: kept } };
      expect(await rows('comments', { ...ofRenamed, 'authorSnapshot.fullName': 'Another Name' })).toBe(kept.length);
      expect(await differences(db)).toEqual([]);
    } finally {
      await mongo.close();
    }
  });
});
