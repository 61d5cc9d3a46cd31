import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { signUp, type TestAccount } from '../accounts.js';
import { scale } from '../scale.js';
import { publish } from '../server.js';
import { until, untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const READERS = 4;

export const ACTIVITY_KILLED: KillCase = {
  name: 'the jobs process and the writer while facts become notifications: every group is there, and no fact is left',
  kills: Array.from({ length: scale('activityKills') }, (_, at) => (at % 2 === 0 ? 'jobs' : 'writer')),
  of: async ({ client, db }) => {
    const author = await signUp(client);
    const readers = await Promise.all(Array.from({ length: READERS }, () => signUp(client)));
    const done = { likes: new Map<string, Set<string>>(), comments: new Map<string, Set<string>>() };
    let facts = 0;
    const add = (groups: Map<string, Set<string>>, post: string, { username }: TestAccount): void => {
      groups.set(post, (groups.get(post) ?? new Set()).add(username));
      facts++;
    };
    /** a write that a kill has interrupted is sent again until it is acknowledged */
    const send = (request: () => Promise<{ status: number }>): Promise<unknown> =>
      until(async () => ((await request().catch(() => ({ status: 503 }))).status < 300 ? true : null));
    const activity = db.collection('activity');
    return {
      work: async (isOver) => {
        while (!isOver() || facts < scale('activityFacts')) {
          const { id } = await publish({ client, author });
          for (const reader of readers) {
            const { token } = reader;
            const vote = { token, body: { value: 'like' } };
            await send(() => client.put(`/v1/posts/${id}/vote`, vote));
            add(done.likes, id, reader);
            await send(() => client.post(`/v1/posts/${id}/comments`, { token, body: { content: 'Read.' } }));
            add(done.comments, id, reader);
          }
          await sleep(5);
        }
      },
      until: async () => (await activity.countDocuments()) > 0,
      check: async () => {
        await untilNone(() => activity.countDocuments(), 'rows of facts');
        const shown = { like_post: new Map<string, number>(), comment: new Map<string, number>() };
        for (let cursor = ''; ;) {
          const { token } = author;
          const { status, body } = await client.get(`/v1/notifications?limit=50${cursor}`, { token });
          expect(status).toBe(200);
          for (const { kind, post, actorsCount } of body.data) {
            const groups = shown[kind as keyof typeof shown];
            expect(groups.has(post.id)).toBe(false);
            groups.set(post.id, actorsCount);
          }
          if (body.page.nextCursor === null) break;
          cursor = `&cursor=${body.page.nextCursor}`;
        }
        const counts = (groups: Map<string, Set<string>>) => new Map([...groups].map(([id, who]) => [id, who.size]));
        expect(shown).toEqual({ like_post: counts(done.likes), comment: counts(done.comments) });
        const userId = new ObjectId(author.id);
        expect(await db.collection('notifications').countDocuments({ userId })).toBe(2 * done.likes.size);
        expect(await db.collection('activity_dead').countDocuments()).toBe(0);
      },
    };
  },
};
