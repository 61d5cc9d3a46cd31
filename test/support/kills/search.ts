import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../../faults/suite/server-under-test.js';
import { signUp } from '../accounts.js';
import { scale } from '../scale.js';
import { publish, type Server } from '../server.js';
import { until } from '../until.js';
import type { KillCase } from './kill-during.js';

const POSTS = scale('indexedPosts');
/** posts between two kills */
const STEP = 12;

export async function titlesFound({ client }: Pick<Server, 'client'>, q: string): Promise<string[]> {
  const { body } = await client.get(`/v1/search?kind=posts&limit=100&sort=latest&q=${q}`);
  return (body.data?.posts ?? []).map((post: { title: string }) => post.title);
}

export const INDEX_KILLED: KillCase = {
  name: 'the jobs process while it writes the search index: the index equals the database',
  kills: Array<'jobs'>(scale('indexerKills')).fill('jobs'),
  of: async (server) => {
    const { client, host } = server;
    const author = await signUp(client);
    const { token } = author;
    let published = 0;
    return {
      work: async (isOver) => {
        for (; !isOver() || published < POSTS; published++) {
          const { id } = await publish({ client, author }, { title: `Killed number${published}`, tags: ['killed'] });
          const body = { title: `Edited number${published}` };
          if (published % 3 === 0) await client.patch(`/v1/posts/${id}`, { token, body });
          if (published % 5 === 0) await client.delete(`/v1/posts/${id}`, { token });
          await sleep(20);
        }
      },
      until: (kill) => published >= (kill + 1) * STEP,
      check: async () => {
        const last = published - 1 - ((published - 1) % 5 === 0 ? 1 : 0);
        await until(async () => (await titlesFound(server, `number${last}`)).length === 1 || null);
        const { output } = await runCli(host, ['search', 'audit']);
        expect(output).toMatch(/^0 differences among/m);
        expect(await titlesFound(server, 'number0')).toEqual([]);
      },
    };
  },
};
