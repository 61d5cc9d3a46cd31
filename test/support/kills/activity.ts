import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import type { Account } from '../../faults/suite/cast.js';
import { scale } from '../scale.js';
import { untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const RETRY_MS = 200;
const KINDS = ['like_post', 'comment'] as const;

export const ACTIVITY_KILLED: KillCase = {
  name: 'the jobs process and the writer while facts become notifications: every group is there, and no fact is left',
  kills: Array.from({ length: scale('activityKills') }, (_, at) => (at % 2 === 0 ? 'jobs' : 'writer')),
  of: async ({ client, db, tokens, people, postIds }) => {
    /** Accounts that like a post and that comment on it, by kind and post. */
    const done = new Map<string, Set<string>>();
    let facts = 0;
    let factsAtKill = 0;
    const posts = await db.collection('posts').find().toArray();
    const authors = new Map(posts.map(({ _id, authorId }) => [String(_id), String(authorId)]));
    const activity = db.collection('activity');

    /** Sends a write again until it is acknowledged, as its client would. */
    const send = async (method: string, path: string, account: Account, body: object): Promise<void> => {
      const request = () => client.request(method, path, { token: tokens.of(account), body });
      while (!((await request().catch(() => ({ status: 503 }))).status < 300)) await sleep(RETRY_MS);
    };
    const act = async (kind: (typeof KINDS)[number], id: string, account: Account): Promise<void> => {
      if (kind === 'comment') await send('POST', `/v1/posts/${id}/comments`, account, { content: 'Read.' });
      else await send('PUT', `/v1/posts/${id}/vote`, account, { value: 'like' });
      facts++;
      if (authors.get(id) === account.id) return;
      const key = `${kind} ${id}`;
      done.set(key, (done.get(key) ?? new Set()).add(account.id));
    };
    return {
      work: async (isOver) => {
        for (let at = 0; !isOver() || facts < scale('activityFacts'); at++) {
          const id = postIds[at % postIds.length]!;
          await Promise.all(people.map((account) => act(KINDS[at % 2]!, id, account)));
        }
      },
      // Writes between two kills, because the host starts a process that was killed often only after some seconds.
      until: async () => {
        if (facts === factsAtKill || (await activity.countDocuments()) === 0) return false;
        factsAtKill = facts;
        return true;
      },
      check: async () => {
        await untilNone(() => activity.countDocuments(), 'rows of facts');
        const shown = new Map<string, number>();
        for (const account of people) {
          for (let cursor = ''; ;) {
            const token = tokens.of(account);
            const { status, body } = await client.get(`/v1/notifications?limit=50${cursor}`, { token });
            expect(status).toBe(200);
            for (const { kind, post, actorsCount } of body.data) shown.set(`${kind} ${post.id}`, actorsCount);
            if (body.page.nextCursor === null) break;
            cursor = `&cursor=${body.page.nextCursor}`;
          }
        }
        expect(shown).toEqual(new Map([...done].map(([key, accounts]) => [key, accounts.size])));
        const userId = { $in: people.map(({ id }) => new ObjectId(id)) };
        expect(await db.collection('notifications').countDocuments({ userId })).toBe(done.size);
        expect(await db.collection('activity_dead').countDocuments()).toBe(0);
      },
    };
  },
};
