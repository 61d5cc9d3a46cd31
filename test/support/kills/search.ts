import { setTimeout as sleep } from 'node:timers/promises';
import { openServices } from '../../../src/cli/cli-context.js';
import { AppConfig } from '../../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../../src/config/env.schema.js';
import { signUp } from '../accounts.js';
import { auditIndex, testEnvironment } from '../app.js';
import { scale } from '../scale.js';
import { publish, type Server } from '../server.js';
import { until } from '../until.js';
import type { KillCase } from './kill-during.js';

const POSTS = scale('indexedPosts');
/** Posts between two kills. */
const STEP = 12;

export async function titlesFound({ client }: Pick<Server, 'client'>, q: string): Promise<string[]> {
  const { body } = await client.get(`/v1/search?kind=posts&limit=100&sort=latest&q=${q}`);
  return (body.data?.posts ?? []).map((post: { title: string }) => post.title);
}

/** Compares every document of the database with the index of the server. */
export async function indexDifferences({ host, db }: Pick<Server, 'host' | 'db'>): Promise<string[]> {
  const settings = { MONGODB_DATABASE: db.databaseName, DATA_DIR: host.dataDir, SEARCH: 'sqlite' };
  const app = await openServices(new AppConfig(ENV_SCHEMA.parse(testEnvironment(settings))), []);
  try {
    return (await auditIndex({ app })).differences;
  } finally {
    await app.close();
  }
}

export const INDEX_KILLED: KillCase = {
  name: 'the jobs process while it writes the search index: the index equals the database',
  kills: Array<'jobs'>(scale('indexerKills')).fill('jobs'),
  of: async (server) => {
    const { client } = server;
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
        expect(await indexDifferences(server)).toEqual([]);
        expect(await titlesFound(server, 'number0')).toEqual([]);
      },
    };
  },
};
