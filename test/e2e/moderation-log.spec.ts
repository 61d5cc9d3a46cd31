import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let author: Person;
let moderator: Person;

beforeAll(async () => {
  author = await world.person();
  moderator = await world.person({ role: 'moderator' });
});

/** Lines of the log while `work` runs. */
async function linesOf(work: () => Promise<unknown>): Promise<string[]> {
  const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => {});
  try {
    await work();
    return log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(moderator.id));
  } finally {
    log.mockRestore();
  }
}

describe('the moderation log', () => {
  it('has one line for each action on the content of others', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const list = await world.collection({ by: author });
    const { token } = moderator;
    const lines = await linesOf(async () => {
      expect((await app.client.put(`/v1/posts/${post.id}/lock`, { token })).status).toBe(200);
      expect((await app.client.put(`/v1/posts/${post.id}/lock`, { token })).status).toBe(200);
      expect((await app.client.delete(`/v1/comments/${comment.id}`, { token })).status).toBe(204);
      expect((await app.client.delete(`/v1/collections/${list.id}`, { token })).status).toBe(204);
      expect((await app.client.delete(`/v1/posts/${post.id}`, { token })).status).toBe(204);
    });
    const line = (did: string): string => `moderator ${moderator.id} ${did} of user ${author.id}`;
    expect(lines).toEqual([
      line(`locked post ${post.id}`),
      line(`deleted comment ${comment.id}`),
      line(`deleted collection ${list.id}`),
      line(`deleted post ${post.id}`),
    ]);
  });

  it('has no line for the actions of moderators on their own content', async () => {
    const post = await world.post({ by: moderator });
    const lines = await linesOf(() => app.client.delete(`/v1/posts/${post.id}`, { token: moderator.token }));
    expect(lines).toEqual([]);
  });
});
