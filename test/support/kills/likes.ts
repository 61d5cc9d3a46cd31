import { type Document, ObjectId } from 'mongodb';
import { signUp } from '../accounts.js';
import { whileFailing } from '../fail-point.js';
import { publish } from '../server.js';
import { until, untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const READERS = 4;
const BLOCKED_MS = 5_000;

export const LIKES_KILLED: KillCase = {
  name: 'the jobs process while it counts the likes of an author: no like is lost, and votes do not wait',
  kills: ['jobs'],
  of: async ({ client, db }) => {
    const author = await signUp(client);
    const readers = await Promise.all(Array.from({ length: READERS }, () => signUp(client)));
    const { id } = await publish({ client, author });
    const users = db.collection('users');
    const likes = async () => (await users.findOne({ _id: new ObjectId(author.id) }))!['stats'].likesReceivedCount;
    const vote = async (value: 'like' | 'dislike'): Promise<void> => {
      const put = ({ token }: { token: string }) => client.put(`/v1/posts/${id}/vote`, { token, body: { value } });
      const responses = await Promise.all(readers.map(put));
      expect(responses.map(({ status }) => status)).toEqual(readers.map(() => 200));
    };
    await vote('like');
    await until(async () => (await likes()) === READERS || null);

    // The counters have moved, and the pending rows still exist.
    const namespace = `${db.databaseName}.received_likes`;
    const data = { failCommands: ['delete'], namespace, blockConnection: true, blockTimeMS: BLOCKED_MS };
    const isOurs = ({ command }: Document): boolean =>
      command?.delete === 'received_likes' && command.$db === db.databaseName;
    return {
      work: async (isOver) => {
        await whileFailing(db, 'alwaysOn', data, async () => {
          await vote('dislike');
          await until(() => isOver() || null);
        });
        // The open transaction of the killed process delays no other write.
        await vote('like');
        await vote('dislike');
      },
      until: async () => {
        const operations = db.client.db('admin').aggregate([{ $currentOp: { allUsers: true } }]);
        return (await operations.toArray()).some(isOurs);
      },
      check: async () => {
        await untilNone(() => db.collection('received_likes').countDocuments(), 'likes');
        expect(await likes()).toBe(0);
      },
    };
  },
};
