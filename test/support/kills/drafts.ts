import { scale } from '../scale.js';
import { signUp } from '../accounts.js';
import { untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const DRAFTS = scale('drafts');

export const DRAFTS_KILLED: KillCase = {
  name: 'the jobs process while it publishes drafts: each draft is published once',
  kills: Array<'jobs'>(scale('draftKills')).fill('jobs'),
  of: async ({ client, db }) => {
    const { token } = await signUp(client);
    const title = (at: number): string => `Draft ${at}`;
    const left = () => db.collection('drafts').countDocuments({ state: 'scheduled' });
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    for (let at = 0; at < DRAFTS; at++) {
      const draft = await client.post('/v1/drafts', {
        token,
        body: { title: title(at), content: 'Text.', type: 'story' },
      });
      const scheduled = await client.put(`/v1/drafts/${draft.body.id}/schedule`, { token, body: { publishAt } });
      expect(scheduled.status).toBe(200);
    }
    return {
      work: async () => {
        const at = new Date(Date.now() - 1_000);
        await db.collection('drafts').updateMany({ state: 'scheduled' }, { $set: { publishAt: at } });
        await db.collection('tasks').updateMany({ topic: 'draft.due' }, { $set: { dueAt: at, runAt: at } });
      },
      until: async () => (await left()) < DRAFTS,
      check: async () => {
        await untilNone(left, 'drafts');
        const posts = await db
          .collection('posts')
          .find({ title: /^Draft / })
          .toArray();
        const titles = posts.map((post) => post['title'] as string);
        expect(titles.sort()).toEqual(Array.from({ length: DRAFTS }, (_, at) => title(at)).sort());
      },
    };
  },
};
