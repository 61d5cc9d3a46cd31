import { ObjectId } from 'mongodb';
import { rankBothSlots } from '../../src/posts/score.js';
import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

const DRAFT = { title: 'Kept in a drawer', content: 'Text.', type: 'story', tags: ['drawers'] };
const LONG_AGO = new Date(Date.now() - 150 * 86_400_000);

describe('the place of a post in the lists by time', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;
  let writer: Person;
  let reader: Person;

  const posts = () => app.db.collection('posts');
  const create = async (fields: object = {}): Promise<{ id: string; slug: string; createdAt: string }> =>
    (await app.client.post('/v1/posts', { token: writer.token, body: { ...DRAFT, ...fields } })).body;
  const edit = (id: string, body: object) => app.client.patch(`/v1/posts/${id}`, { token: writer.token, body });
  const idsOf = async (path: string, token?: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await app.client.get(`${path}limit=2${cursor}`, { token });
      expect(status).toBe(200);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.page.nextCursor === null) return ids;
      cursor = `&cursor=${body.page.nextCursor}`;
    }
  };
  /** Makes the post five months old, with the ranks of that age. */
  const age = async (id: string): Promise<void> => {
    const _id = new ObjectId(id);
    const times = { createdAt: LONG_AGO, contentEditedAt: LONG_AGO, updatedAt: LONG_AGO };
    const { stats } = (await posts().findOne({ _id }))!;
    const rank = rankBothSlots(stats, LONG_AGO, LONG_AGO, new Date(), _id);
    await posts().updateOne({ _id }, { $set: { ...times, rank } });
  };

  beforeEach(async () => {
    [writer, reader] = await world.people(2);
    await posts().deleteMany({});
    await app.client.put(`/v1/users/${writer.username}/follow`, { token: reader.token });
  });

  it('is that of its first publication, in every feed, page by page', async () => {
    const draft = await create({ isPublic: false });
    await age(draft.id);
    const others = [await create(), await create(), await create()].map(({ id }) => id);
    const publishedAfter = Date.now();
    const answer = await edit(draft.id, { isPublic: true });
    expect(answer.body).toMatchObject({ id: draft.id, slug: draft.slug, isPublic: true });
    expect(Date.parse(answer.body.createdAt)).toBeGreaterThanOrEqual(publishedAfter);
    const expected = [draft.id, ...others.reverse()];
    const filters = ['', '&tag=drawers', '&type=story', '&tag=drawers&type=story', `&author=${writer.username}`];
    for (const filter of filters) expect(await idsOf(`/v1/feed?sort=latest${filter}&`)).toEqual(expected);
    expect(await idsOf(`/v1/users/${writer.username}/posts?`)).toEqual(expected);
    expect(await idsOf('/v1/posts/mine?', writer.token)).toEqual(expected);
    expect(await idsOf('/v1/feed/following?', reader.token)).toEqual(expected);
    expect((await app.client.get(`/v1/posts/${draft.slug}`)).status).toBe(200);
  });

  it('ranks a published draft as a new post', async () => {
    const draft = await create({ isPublic: false });
    await age(draft.id);
    const other = await create();
    await edit(draft.id, { isPublic: true });
    const rankOf = async (id: string) => (await posts().findOne({ _id: new ObjectId(id) }))!['rank'];
    const [published, fresh] = [await rankOf(draft.id), await rankOf(other.id)];
    expect(published.hotA).toBe(published.hotB);
    expect(published.hotA).toBeCloseTo(fresh.hotA, 2);
    expect(published.winA).toBe(0);
  });

  it('does not mark a post as edited that was changed as a draft', async () => {
    const draft = await create({ isPublic: false });
    await edit(draft.id, { title: 'A better title' });
    expect((await edit(draft.id, { content: 'A better text.', isPublic: true })).body.isEdited).toBe(false);
    expect((await edit(draft.id, { content: 'The best text.' })).body.isEdited).toBe(true);
  });

  it('is that of the first time in lists for an unlisted post', async () => {
    const post = await create({ visibility: 'unlisted' });
    await age(post.id);
    const other = await create();
    const publishedAfter = Date.now();
    const { body } = await edit(post.id, { visibility: 'public' });
    expect(Date.parse(body.createdAt)).toBeGreaterThanOrEqual(publishedAfter);
    const unlisted = await edit(post.id, { visibility: 'unlisted' });
    const shown = await edit(post.id, { visibility: 'public' });
    expect([unlisted.body.createdAt, shown.body.createdAt]).toEqual([body.createdAt, body.createdAt]);
    expect(await idsOf('/v1/feed?sort=latest&')).toEqual([post.id, other.id]);
  });

  it('stays when a post is hidden and shown again', async () => {
    const [first, second] = [await create(), await create()];
    await edit(first.id, { isPublic: false });
    const shown = await edit(first.id, { isPublic: true });
    expect(shown.body.createdAt).toBe(first.createdAt);
    expect(await idsOf('/v1/feed?sort=latest&')).toEqual([second.id, first.id]);
  });

  it('lists each of several posts of the same millisecond once', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push((await create()).id);
    await posts().updateMany({}, { $set: { createdAt: new Date() } });
    expect(await idsOf('/v1/feed?sort=latest&')).toEqual(ids.reverse());
  });
});
