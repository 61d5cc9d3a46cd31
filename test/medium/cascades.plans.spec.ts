import { ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { useApp } from '../support/app.js';
import { scansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainTasks } from '../support/verbs.js';

describe('the queries of tasks', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  let author: Person;
  let reader: Person;
  let postIds: string[];

  beforeAll(async () => {
    [author, reader] = await world.people(2);
    postIds = [];
    for (let at = 0; at < 3; at++) postIds.push((await world.post({ by: author })).id);
    const { token } = reader;
    for (const id of postIds) {
      await world.comment({ by: reader, on: id });
      expect((await app.client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } })).status).toBe(200);
      const draft = { token: author.token, body: { postId: id } };
      expect((await app.client.post('/v1/drafts', draft)).status).toBe(201);
    }
    await world.collection({ by: reader, posts: postIds });
    expect((await app.client.put(`/v1/users/${author.username}/follow`, { token })).status).toBe(200);
    await drainTasks(app);
  });

  it('scans no collection when a post is deleted, and detaches its draft', async () => {
    const scans = await scansOf(app, async () => {
      await world.deletePost(postIds[0]!, { by: author });
      await drainTasks(app);
    });
    expect(scans).toEqual([]);
    const drafts = await app.db
      .collection('drafts')
      .find({ state: 'open' }, { projection: { postId: 1 } })
      .toArray();
    expect(drafts.map(({ postId }) => String(postId)).sort()).toEqual([...postIds.slice(1), 'null'].sort());
  });

  it.each([
    ['a reader', () => reader],
    ['an author', () => author],
  ])('scans no collection when %s ends the account', async (_, personOf) => {
    const scans = await scansOf(app, async () => {
      await app.app.get(AccountsService).end(ObjectId.createFromHexString(personOf().id));
      await drainTasks(app);
    });
    expect(scans).toEqual([]);
  });
});
