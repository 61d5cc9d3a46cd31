import { jest } from '@jest/globals';
import { useApp } from '../support/app.js';
import { loggerOf } from '../support/logger.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let author: Person;
let moderator: Person;

beforeAll(async () => {
  author = await world.person();
  moderator = await world.person({ role: 'moderator' });
});

/** Returns the lines that `work` logs. */
async function linesOf(work: () => Promise<unknown>): Promise<string[]> {
  const log = jest.spyOn(loggerOf(app), 'log').mockImplementation(() => {});
  try {
    await work();
    return log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(moderator.id));
  } finally {
    log.mockRestore();
  }
}

const list = async (query: string, { token }: Person = moderator) =>
  (await app.client.get(`/v1/admin/log?${query}`, { token })).body.data;

describe('the moderation log', () => {
  it('has one line and one row for each action on the content of others', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const thread = await world.comment({ by: author, on: post.id });
    const collection = await world.collection({ by: author });
    const { token } = moderator;
    const lines = await linesOf(async () => {
      expect((await app.client.put(`/v1/posts/${post.id}/lock`, { token })).status).toBe(200);
      expect((await app.client.put(`/v1/posts/${post.id}/lock`, { token })).status).toBe(200);
      expect((await app.client.delete(`/v1/posts/${post.id}/lock`, { token })).status).toBe(200);
      expect((await app.client.delete(`/v1/comments/${comment.id}`, { token })).status).toBe(204);
      expect((await app.client.delete(`/v1/comments/${thread.id}?tree=true`, { token })).status).toBe(204);
      expect((await app.client.delete(`/v1/collections/${collection.id}`, { token })).status).toBe(204);
      expect((await app.client.delete(`/v1/posts/${post.id}`, { token })).status).toBe(204);
    });
    const line = (did: string): string => `moderator ${moderator.id} ${did} of user ${author.id}`;
    expect(lines).toEqual([
      line(`locked post ${post.id}`),
      line(`unlocked post ${post.id}`),
      line(`deleted comment ${comment.id}`),
      line(`deleted the thread of comment ${thread.id}`),
      line(`deleted collection ${collection.id}`),
      line(`deleted post ${post.id}`),
    ]);
    const row = (kind: string, targetKind: string, targetId: string) => ({
      ...{ id: expect.any(String), actorId: moderator.id, actorRole: 'moderator', kind, targetKind, targetId },
      ...{ ownerId: author.id, detail: null, createdAt: expect.any(String) },
      ...{ reasonCode: null, publicReason: '', privateNote: '', until: null, caseId: null, reverses: null },
    });
    expect(await list(`actorId=${moderator.id}`)).toEqual([
      row('delete', 'post', post.id),
      row('delete', 'collection', collection.id),
      row('delete_thread', 'comment', thread.id),
      row('delete', 'comment', comment.id),
      row('unlock', 'post', post.id),
      row('lock', 'post', post.id),
    ]);
    const kinds = (await list(`targetId=${post.id}`)).map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['delete', 'unlock', 'lock']);
  });

  it('has one line and one row for dismissed reports', async () => {
    const post = await world.post({ by: author });
    const caseId = await world.report({ by: await world.person(), on: post.id });

    const lines = await linesOf(async () => {
      const path = `/v1/moderation/cases/${caseId}/dismiss`;
      expect((await app.client.post(path, { token: moderator.token, body: { note: 'No.' } })).status).toBe(204);
    });

    expect(lines).toEqual([`moderator ${moderator.id} dismissed the reports of post ${post.id} of user ${author.id}`]);
    const [row] = await list(`targetId=${post.id}`);
    expect(row).toMatchObject({ kind: 'dismiss_reports', targetKind: 'post', ownerId: author.id, detail: null });
  });

  it('has nothing for the actions of moderators on their own content, or for those that fail', async () => {
    const post = await world.post({ by: moderator });
    const count = () => app.db.collection('moderation_actions').countDocuments();
    const before = await count();
    const lines = await linesOf(async () => {
      expect((await app.client.delete(`/v1/posts/${post.id}`, { token: moderator.token })).status).toBe(204);
      expect((await app.client.delete(`/v1/posts/${post.id}`, { token: moderator.token })).status).toBe(404);
    });
    expect([lines, await count()]).toEqual([[], before]);
  });

  it('keeps its rows when the moderator deletes the account', async () => {
    const ending = await world.person({ overHttp: true, role: 'moderator' });
    const post = await world.post({ by: author });
    await app.client.put(`/v1/posts/${post.id}/lock`, { token: ending.token });
    const { status } = await app.client.delete('/v1/users/me', {
      token: ending.token,
      body: { password: ending.password },
    });
    expect([status, (await list(`actorId=${ending.id}`)).length]).toEqual([204, 1]);
  });
});
