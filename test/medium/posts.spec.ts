import { ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { PostsService } from '../../src/posts/posts.service.js';
import { VISIBILITIES } from '../../src/posts/post-types.js';
import { canSee } from '../../src/posts/visibility.js';
import { useApp } from '../support/app.js';
import { triedAgain } from '../support/repeated-requests.js';
import type { Person } from '../support/world.js';
import { WRITTEN_EVENTS } from '../support/written-events.js';

const DRAFT = { title: 'A post', content: 'Text.', type: 'article' as const };

describe('PostsService, as other rooms use it', () => {
  const app = useApp();
  const { world } = app;
  let ada: Person;
  let bob: Person;
  const posts = () => app.app.get(PostsService);
  const transaction: MongoService['transaction'] = (work) => app.app.get(MongoService).transaction(work);
  const create = (fields: object = {}, by = ada) => posts().create(by, { ...DRAFT, ...fields });
  /** Counts rows, without the events of the host itself. */
  const counts = () =>
    Promise.all(
      ['posts', 'post_bodies', 'events', 'tasks'].map((name) => app.db.collection(name).countDocuments(WRITTEN_EVENTS)),
    );
  const userRow = (person: Person) => app.db.collection('users').findOne({ _id: person._id });

  beforeAll(async () => {
    [ada, bob] = await world.people(2);
  });

  it('commits a post together with the writes of its caller, or nothing at all', async () => {
    const marks = app.db.collection<{ _id: string }>('marks');
    await app.db.createCollection('marks');
    const post = await posts().create(ada, DRAFT, {
      onCommit: async (tx, { id }) => void (await marks.insertOne({ _id: id }, { session: tx.session })),
    });
    expect(await marks.findOne()).toEqual({ _id: post.id });
    const before = [await counts(), await userRow(ada)];
    const refused = posts().create(ada, DRAFT, {
      onCommit: async (tx) => {
        await marks.insertOne({ _id: 'second' }, { session: tx.session });
        throw new Error('no');
      },
    });
    await expect(refused).rejects.toThrow('no');
    expect([await counts(), await userRow(ada)]).toEqual(before);
    expect(await marks.countDocuments()).toBe(1);
  });

  it('writes nothing for a deleted account', async () => {
    const ghost = await world.person();
    await app.db.collection('users').updateOne({ _id: ghost._id }, { $set: { deletedAt: new Date() } });
    const before = await counts();
    await expect(create({}, ghost)).rejects.toMatchObject({ code: 'user_not_found' });
    expect(await counts()).toEqual(before);
  });

  it('decides which viewer may read which post', async () => {
    const [listed, hidden] = [await create(), await create({ isPublic: false })];
    const getReadable = (id: string, viewer: Person | null) =>
      posts().getReadable(new ObjectId(id), viewer?.viewer ?? null);
    for (const viewer of [null, bob, ada]) expect((await getReadable(listed.id, viewer)).isListed).toBe(true);
    for (const viewer of [null, bob]) {
      await expect(getReadable(hidden.id, viewer)).rejects.toMatchObject({ code: 'post_not_found' });
    }
    expect((await getReadable(hidden.id, ada)).authorId).toEqual(ada._id);
    const ids = [hidden.id, new ObjectId().toHexString(), listed.id].map((id) => new ObjectId(id));
    expect((await posts().findCards(ids, bob.viewer)).map(({ id }) => id)).toEqual([listed.id]);
    expect((await posts().findCards(ids, ada.viewer)).map(({ id }) => id)).toEqual([hidden.id, listed.id]);
    const targets = await posts().findTargets(ids);
    expect([...targets.keys()].sort()).toEqual([hidden.id, listed.id].sort());
  });

  it('finds cards of unlisted posts for their author, and for viewers who have the addresses', async () => {
    const [listed, unlisted] = [await create(), await create({ visibility: 'unlisted' })];
    const ids = [unlisted.id, listed.id].map((id) => new ObjectId(id));
    const found = async (...rest: [Person | null, typeof canSee?]) => {
      const [person, isShown] = rest;
      return (await posts().findCards(ids, person?.viewer ?? null, isShown)).map(({ id }) => id);
    };
    for (const viewer of [null, bob]) {
      expect(await found(viewer)).toEqual([listed.id]);
      expect(await found(viewer, canSee)).toEqual([unlisted.id, listed.id]);
    }
    expect(await found(ada)).toEqual([unlisted.id, listed.id]);
  });

  it('moves counters exactly under concurrency, and changes no other field of the card', async () => {
    const [a, b] = [await create(), await create()];
    const before = await app.db.collection('posts').findOne({ _id: new ObjectId(a.id) });
    await Promise.all(
      // These transactions do not queue, and more of them would conflict for a long time.
      Array.from({ length: 12 }, () =>
        triedAgain(() =>
          transaction((tx) =>
            posts().applyStats(
              new Map([
                [a.id, { likesCount: 1, dislikesCount: 0 }],
                [b.id, { commentsCount: 2 }],
              ]),
              tx,
            ),
          ),
        ),
      ),
    );
    const rows = await posts().findTargets([new ObjectId(a.id), new ObjectId(b.id)]);
    expect(rows.get(a.id)!.stats).toMatchObject({ likesCount: 12, dislikesCount: 0, commentsCount: 0 });
    expect(rows.get(b.id)!.stats).toMatchObject({ likesCount: 0, commentsCount: 24 });
    const after = await app.db.collection('posts').findOne({ _id: new ObjectId(a.id) });
    expect({ ...after, stats: before!.stats }).toEqual(before);
    await app.db.collection('posts').updateMany({}, { $set: { 'stats.likesCount': 0, 'stats.commentsCount': 0 } });
  });

  it('refuses a counter below zero, with the whole transaction', async () => {
    const [a, b] = [await create(), await create()];
    const changes = new Map([
      [a.id, { likesCount: 1 }],
      [b.id, { likesCount: -1 }],
    ]);
    await expect(transaction((tx) => posts().applyStats(changes, tx))).rejects.toThrow(/validation/i);
    const rows = await posts().findTargets([new ObjectId(a.id), new ObjectId(b.id)]);
    for (const row of rows.values()) expect(row.stats.likesCount).toBe(0);
    await expect(
      app.db.collection('posts').updateOne({ _id: new ObjectId(a.id) }, { $set: { 'stats.viewsCount': 0.5 } }),
    ).rejects.toThrow(/validation/i);
  });

  it('counts exactly during concurrent publications, edits, votes and deletions', async () => {
    const [writer, ...voters] = await world.people(6);
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => (await triedAgain(() => create({}, writer))).id),
    );
    const act = (i: number): Promise<{ status: number }> => {
      const path = `/v1/posts/${ids[i % ids.length]}`;
      const voter = voters[i % voters.length]!;
      if (i % 7 === 0)
        return app.patient.patch(path, { token: writer.token, body: { visibility: VISIBILITIES[i % 3] } });
      if (i % 31 === 30) return app.patient.delete(path, { token: writer.token });
      if (i % 5 === 4) return app.patient.delete(`${path}/vote`, { token: voter.token });
      return app.patient.put(`${path}/vote`, { token: voter.token, body: { value: i % 3 ? 'like' : 'dislike' } });
    };
    const answers = await Promise.all(Array.from({ length: 150 }, (_, i) => act(i)));
    expect([...new Set(answers.map(({ status }) => status))].filter((status) => status >= 500)).toEqual([]);
    const differences: unknown[] = [];
    await app.app.get(AuditService).audit((difference) => void differences.push(difference));
    expect(differences).toEqual([]);
  });
});
