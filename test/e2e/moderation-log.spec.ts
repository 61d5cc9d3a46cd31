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

type LogRow = Record<'kind' | 'targetKind' | 'targetId' | 'ownerId', string>;
const send = (kind: string, targetKind: string, targetId: string, { token }: Person = moderator) => {
  const body = { kind, targetKind, targetId, reasonCode: 'spam', publicReason: 'An advertisement.' };
  return app.client.post('/v1/moderation/actions', { token, body });
};
const list = async (query: string, { token }: Person = moderator) =>
  (await app.client.get(`/v1/admin/log?${query}`, { token })).body.data;

describe('the moderation log', () => {
  it('has one line and one row for each action on the content of others', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const collection = await world.collection({ by: author });
    const act = async (kind: string, targetKind: string, targetId: string) =>
      expect((await send(kind, targetKind, targetId)).status).toBe(201);

    const lines = await linesOf(async () => {
      await act('lock', 'post', post.id);
      await act('unlock', 'post', post.id);
      await act('remove', 'comment', comment.id);
      await act('remove', 'collection', collection.id);
      await act('remove', 'post', post.id);
    });

    const line = (did: string): string => `moderator ${moderator.id} ${did} of user ${author.id}`;
    expect(lines).toEqual([
      line(`locked post ${post.id}`),
      line(`unlocked post ${post.id}`),
      line(`removed comment ${comment.id}`),
      line(`removed collection ${collection.id}`),
      line(`removed post ${post.id}`),
    ]);
    const rows = (await list(`actorId=${moderator.id}`)).map(({ kind, targetKind, targetId, ownerId }: LogRow) => [
      ...[kind, targetKind, targetId, ownerId],
    ]);
    expect(rows).toEqual([
      ['remove', 'post', post.id, author.id],
      ['remove', 'collection', collection.id, author.id],
      ['remove', 'comment', comment.id, author.id],
      ['unlock', 'post', post.id, author.id],
      ['lock', 'post', post.id, author.id],
    ]);
    const kinds = (await list(`targetId=${post.id}`)).map(({ kind }: LogRow) => kind);
    expect(kinds).toEqual(['remove', 'unlock', 'lock']);
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
    await send('lock', 'post', post.id, ending);
    const { status } = await app.client.delete('/v1/users/me', {
      token: ending.token,
      body: { password: ending.password },
    });
    expect([status, (await list(`actorId=${ending.id}`)).length]).toEqual([204, 1]);
  });
});
