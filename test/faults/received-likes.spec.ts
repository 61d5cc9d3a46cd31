import { type Document, MongoClient, ObjectId } from 'mongodb';
import { signUp } from '../support/accounts.js';
import { differences } from '../support/audit.js';
import { whileFailing } from '../support/fail-point.js';
import { publish, useServed } from '../support/served.js';
import { until } from '../support/until.js';

describe('a jobs process that is killed while it counts the likes of authors', () => {
  const served = useServed({ HTTP_WORKERS: '2', JOBS_ENABLED: 'true' });

  it('leaves nothing uncounted, and its successor goes on', async () => {
    const { client, host, author } = served;
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    const db = mongo.db(host.childEnvironment()['MONGODB_DATABASE']);
    const namespace = `${db.databaseName}.received_likes`;
    const likesOfAuthor = async () =>
      (await db.collection('users').findOne({ _id: new ObjectId(author.id) }))!['stats'].likesReceivedCount as number;
    try {
      const readers = await Promise.all(Array.from({ length: 4 }, () => signUp(client)));
      const { id } = await publish(served);
      const vote = async (value: 'like' | 'dislike'): Promise<void> => {
        const answers = await Promise.all(
          readers.map(({ token }) => client.put(`/v1/posts/${id}/vote`, { token, body: { value } })),
        );
        expect(answers.map(({ status }) => status)).toEqual(readers.map(() => 200));
      };
      await vote('like');
      await until(async () => ((await likesOfAuthor()) === readers.length ? true : null));

      // it has moved the counters, and has not removed the rows yet
      const data = { failCommands: ['delete'], namespace, blockConnection: true, blockTimeMS: 20_000 };
      const isCounting = async () => {
        const operations = mongo.db('admin').aggregate([{ $currentOp: { allUsers: true } }]);
        // other specs use this mongod, too
        const isOurs = ({ command }: Document) =>
          command?.delete === 'received_likes' && command.$db === db.databaseName;
        return (await operations.toArray()).some(isOurs) ? true : null;
      };
      let killedAt = 0;
      await whileFailing(db, 'alwaysOn', data, async () => {
        await vote('dislike');
        await until(isCounting);
        const [jobs] = host.workers('jobs');
        process.kill(jobs!, 'SIGKILL');
        killedAt = performance.now();
      });
      expect(await differences(db)).toEqual([]);
      // votes do not wait for the transaction that it left open
      await vote('like');
      await vote('dislike');
      await until(async () => ((await db.collection('received_likes').countDocuments()) === 0 ? true : null));
      console.log(
        `counted again ${((performance.now() - killedAt) / 1_000).toFixed(1)} s after the process was killed`,
      );
      expect(await likesOfAuthor()).toBe(0);
      expect(await differences(db)).toEqual([]);
    } finally {
      await mongo.close();
    }
  });
});
