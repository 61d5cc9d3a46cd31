import { ObjectId } from 'mongodb';
import { signUp, type TestAccount } from '../accounts.js';
import { scale } from '../scale.js';
import { publish, type Server } from '../server.js';
import { untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const POSTS = scale('taskPosts');
const READERS = 4;
const NAME = 'Another Name';

/** Creates posts of a new account, each with a like and a comment of every reader. */
async function fill({ client }: Server) {
  const author = await signUp(client);
  const readers = await Promise.all(Array.from({ length: READERS }, () => signUp(client)));
  const posts: string[] = [];
  const react = async (id: string, { token }: TestAccount): Promise<void> => {
    await client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
    await client.post(`/v1/posts/${id}/comments`, { token, body: { content: 'Well.' } });
  };
  for (let at = 0; at < POSTS; at++) {
    const { id } = await publish({ client, author });
    posts.push(id);
    await Promise.all(readers.map((reader) => react(id, reader)));
  }
  const half = (rest: number) => posts.filter((_, at) => at % 2 === rest).map((id) => new ObjectId(id));
  return { author, readers, deleted: half(0), kept: half(1) };
}

export const TASKS_KILLED: KillCase = {
  name: 'the jobs process while it cleans up and renames: every effect happens once',
  kills: Array<'jobs'>(scale('taskKills')).fill('jobs'),
  of: async (server) => {
    const { client, db } = server;
    const { author, readers, deleted, kept } = await fill(server);
    const [renamed, leaver] = readers as [TestAccount, TestAccount];
    const rows = (collection: string, filter: object) => db.collection(collection).countDocuments(filter);
    // The tasks of the trash are due in 30 days.
    const waiting = () => rows('tasks', { dueAt: { $lte: new Date() } });
    return {
      work: async () => {
        for (const id of deleted)
          for (const list of ['posts', 'drafts'])
            expect((await client.delete(`/v1/${list}/${id.toHexString()}`, { token: author.token })).status).toBe(204);
        const rename = { token: renamed.token, body: { fullName: NAME } };
        expect((await client.patch('/v1/users/me', rename)).status).toBe(200);
        const leave = { token: leaver.token, body: { password: leaver.password } };
        expect((await client.delete('/v1/users/me', leave)).status).toBe(204);
      },
      until: async () => (await waiting()) > 0,
      check: async () => {
        await untilNone(waiting, 'tasks');
        for (const collection of ['posts', 'post_bodies', 'post_html'])
          expect([collection, await rows(collection, { _id: { $in: deleted } })]).toEqual([collection, 0]);
        expect(await rows('comments', { postId: { $in: deleted } })).toBe(0);
        expect(await rows('interactions', { targetId: { $in: deleted } })).toBe(0);
        expect(await rows('posts', { _id: { $in: kept }, deletedAt: null })).toBe(kept.length);
        expect(await rows('interactions', { targetId: { $in: kept } })).toBe(kept.length * (READERS - 1));
        const ofRenamed = { authorId: new ObjectId(renamed.id), postId: { $in: kept } };
        expect(await rows('comments', { ...ofRenamed, 'authorSnapshot.fullName': NAME })).toBe(kept.length);
      },
    };
  },
};
