import { AccountsService } from '../../src/auth/accounts.service.js';
import { ViewerFiltersService } from '../../src/blocks/viewer-filters.service.js';
import { useApp } from '../support/app.js';
import { plansOf, scansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainTasks } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
let owner: Person;
let others: Person[];

const put = (by: Person, path: string) => app.patient.put(`/v1/${path}`, { token: by.token, body: {} });

beforeAll(async () => {
  [owner, ...others] = await world.people(12);
  for (const [at, other] of others.entries()) {
    for (const kind of ['block', 'mute']) {
      expect((await put(owner, `users/${other.username}/${kind}`)).status).toBe(200);
      expect((await put(other, `users/${others[(at + 1) % others.length]!.username}/${kind}`)).status).toBe(200);
    }
  }
});

describe('the queries of blocks, mutes, hidden posts and filters', () => {
  it.each(['blocks', 'mutes'])('reads a page of %s as one index range and the names by key', async (list) => {
    const { token } = owner;
    const path = `/v1/users/me/${list}?limit=4`;
    const first = await app.client.get(path, { token });
    for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
      const plans = await plansOf(app, () => app.client.get(path + cursor, { token }));
      expect(plans).toHaveLength(2);
      for (const { docsExamined, nReturned } of plans) expect([docsExamined, nReturned]).toEqual([5, 5]);
      expect(plans[0]!.plan).toContain('"ownerId":1,"seq":-1');
    }
  });

  it('loads the list filter of a viewer with four index ranges, once for concurrent requests', async () => {
    const [author, reader] = await world.people(2);
    const { id } = await world.post({ by: author });
    for (const path of [`users/${author.username}/block`, `users/${author.username}/mute`, `posts/${id}/hide`])
      expect((await put(reader, path)).status).toBe(200);
    await world.contentFilter({ by: reader, phrase: 'looms' });

    const plans = await plansOf(app, () =>
      Promise.all([1, 2, 3].map(() => app.app.get(ViewerFiltersService).of(reader.viewer))),
    );

    const byId = 'IXSCAN {"_id":1}';
    expect(plans.map(({ plan }) => plan).sort()).toEqual([byId, byId, byId, 'IXSCAN {"ownerId":1,"key":1}']);
    for (const { docsExamined, nReturned } of plans) expect([docsExamined <= nReturned, nReturned]).toEqual([true, 1]);
  });

  it('reads the filters of an account as one index range, in order', async () => {
    const [reader, other] = await world.people(2);
    for (const phrase of ['looms', 'engines'])
      for (const by of [reader, other]) await world.contentFilter({ by, phrase });

    const plans = await plansOf(app, () => app.client.get('/v1/users/me/filters', { token: reader.token }));

    expect(plans).toMatchObject([{ plan: 'IXSCAN {"ownerId":1,"key":1}', docsExamined: 2, nReturned: 2 }]);
  });

  it('looks for blocks of a comment, a vote and a follow by key', async () => {
    const [ann, ben] = others as [Person, Person];
    const post = await world.post({ by: ben });
    const requests = [
      () => app.client.post(`/v1/posts/${post.id}/comments`, { token: ann.token, body: { content: 'No.' } }),
      () => app.client.put(`/v1/posts/${post.id}/vote`, { token: ann.token, body: { value: 'like' } }),
      () => put(ann, `users/${ben.username}/follow`),
    ];
    for (const request of requests) {
      const plans = await plansOf(app, async () => expect((await request()).body.code).toBe('blocked'), 'blocks');
      expect(plans).toMatchObject([{ plan: 'IXSCAN {"_id":1}', docsExamined: 1, nReturned: 1 }]);
    }
  });

  it('sends no query for a comment or a follow of an account that never had a block', async () => {
    const [ann, ben] = await world.people(2);
    const post = await world.post({ by: ben });

    const plans = await plansOf(
      app,
      async () => {
        await world.comment({ by: ann, on: post.id });
        expect((await put(ann, `users/${ben.username}/follow`)).status).toBe(200);
      },
      'blocks',
    );

    expect(plans).toEqual([]);
  });

  it('scans no collection when an account blocks, mutes and filters, and when it is deleted', async () => {
    const ann = await world.person();

    const scans = await scansOf(app, async () => {
      for (const kind of ['block', 'mute']) await put(ann, `users/${others[0]!.username}/${kind}`);
      await world.contentFilter({ by: ann, phrase: 'looms' });
      await app.app.get(AccountsService).end(owner._id);
      await drainTasks(app);
    });

    expect(scans).toEqual([]);
    const left = { $or: [{ ownerId: owner._id }, { otherId: owner._id }] };
    for (const name of ['blocks', 'mutes']) expect(await app.db.collection(name).countDocuments(left)).toBe(0);
  });
});
