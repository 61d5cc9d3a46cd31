import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { type TestAccount, signUp } from '../accounts.js';
import { hugoPost, zipOf } from '../zips.js';
import { formOf, TINY_PNG } from '../pictures.js';
import { scale } from '../scale.js';
import type { KillCase } from './kill-during.js';

const PATH = '/v1/users/me/imports';
const POSTS = 120;
const RETRY_MS = 200;

/** Each post links to the one before it, and shows the same image. */
function archive(): Promise<Buffer> {
  const posts = Array.from({ length: POSTS }, (_, at): [string, string] => {
    const date = new Date(Date.UTC(2015, 0, 1 + at)).toISOString();
    const text = `![A loom](/loom.png)\n\nAfter [another](/posts/${at - 1}/).`;
    return [`content/posts/${at}.md`, hugoPost({ title: `Part ${at}`, date }, text)];
  });
  return zipOf({ ...Object.fromEntries(posts), 'static/loom.png': TINY_PNG });
}

export const IMPORTS_KILLED: KillCase = {
  name: 'the jobs process while archives are read and published: each post exists once, with its date',
  kills: Array<'jobs'>(scale('importKills')).fill('jobs'),
  of: ({ client, db }) => {
    const imports = db.collection('archive_imports');
    const finished: TestAccount[] = [];
    let donePerKill = -1;

    const send = async (method: string, path: string, options: object) => {
      for (;;) {
        const answer = await client.request(method, path, options).catch(() => null);
        if (answer !== null && answer.status < 500) return answer;
        await sleep(RETRY_MS);
      }
    };
    const bring = async (bytes: Buffer): Promise<void> => {
      const account = await signUp(client);
      const { token } = account;
      const { status, body } = await send('POST', PATH, { token, ...formOf({ bytes }) });
      expect(status).toBe(202);
      /** Without a limit of time, because every kill takes some. */
      const reached = async (state: string): Promise<void> => {
        for (let now = ''; now !== state; await sleep(RETRY_MS)) {
          now = (await send('GET', `${PATH}/${body.id}`, { token })).body.state;
          if (now === 'failed') throw new Error('the import failed');
        }
      };
      await reached('ready');
      await send('POST', `${PATH}/${body.id}/publish`, { token });
      await reached('published');
      finished.push(account);
    };
    return {
      work: async (isOver) => {
        const bytes = await archive();
        do await bring(bytes);
        while (!isOver());
      },
      until: async () => {
        const rows = await imports.find({ isRunning: true, state: { $in: ['reading', 'publishing'] } }).toArray();
        const all = await imports.find({}, { projection: { counts: 1 } }).toArray();
        const done = all.reduce((sum, { counts }) => sum + counts.read + counts.published, 0);
        if (rows.length === 0 || done === donePerKill || done === 0) return false;
        donePerKill = done;
        return true;
      },
      check: async () => {
        for (const { id } of finished) {
          const userId = new ObjectId(id);
          const row = await imports.findOne({ userId });
          const posts = await db.collection('posts').find({ authorId: userId }).sort({ createdAt: 1 }).toArray();
          const counts = { read: POSTS, drafts: POSTS, repeated: 0, images: POSTS, published: POSTS, problems: 0 };
          expect(row).toMatchObject({ state: 'published', counts });
          expect(posts.map(({ title }) => title)).toEqual(Array.from({ length: POSTS }, (_, at) => `Part ${at}`));
          expect(await db.collection('drafts').countDocuments({ authorId: userId })).toBe(0);
          expect(await db.collection('media').countDocuments({ ownerId: userId })).toBe(1);
        }
      },
    };
  },
};
