import { type Collection, ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { RECEIVED_LIKES, type ReceivedLikesChange } from '../../src/users/received-likes.schema.js';
import { ReceivedLikesService } from '../../src/users/received-likes.service.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import type { Person } from '../support/world.js';

describe('likes received by authors', () => {
  const app = useApp();
  const { world } = app;
  const waiting = (): Collection<ReceivedLikesChange> => app.db.collection<ReceivedLikesChange>(RECEIVED_LIKES);
  const fold = (): Promise<void> => app.app.get(ReceivedLikesService).fold(AbortSignal.timeout(60_000));
  const statsOf = async ({ _id }: Person) => (await app.db.collection('users').findOne({ _id }))!;
  const rowOf = (author: Person, change: number) => ({ _id: new ObjectId(), changes: { [author.id]: change } });

  it('equal the likes of the posts at any moment, as counter plus pending rows, during edits and votes', async () => {
    const [author, ...readers] = await world.people(9);
    const posts = await Promise.all(Array.from({ length: 3 }, () => world.post({ by: author })));
    let isOver = false;
    const found: unknown[] = [];
    const audits = (async () => {
      while (!isOver) await app.app.get(AuditService).audit((difference) => found.push(difference));
    })();
    const folds = (async () => {
      while (!isOver) await fold();
    })();
    for (let round = 0; round < 20; round++) {
      const votes = readers.map(({ token }, at) => {
        const body = { value: (at + round) % 3 === 0 ? 'dislike' : 'like' };
        return app.client.put(`/v1/posts/${posts[(at + round) % 3]!.id}/vote`, { token, body });
      });
      // Readers cannot see a hidden post.
      await Promise.all([...votes, world.editPost(posts[round % 3]!.id, { by: author, isPublic: round % 2 === 1 })]);
    }
    isOver = true;
    await Promise.all([audits, folds]);
    expect(found).toEqual([]);
    await fold();
    expect(await waiting().countDocuments()).toBe(0);
    expect(await differences(app.db)).toEqual([]);
  });

  it('add up to the same sum for more rows than one transaction reads, even if a part would be below zero', async () => {
    const author = await world.person();
    await waiting().insertMany(Array.from({ length: 1_200 }, () => rowOf(author, -1)));
    await waiting().insertMany(Array.from({ length: 1_300 }, () => rowOf(author, 1)));
    await fold();
    expect((await statsOf(author)).stats.likesReceivedCount).toBe(100);
    expect(await waiting().countDocuments()).toBe(0);
  });

  it('reach their authors though the counter of one of them was wrong', async () => {
    const [wrong, right] = await world.people(2);
    await waiting().insertMany([rowOf(wrong, -5), rowOf(right, 3)]);
    await fold();
    expect((await statsOf(wrong)).stats.likesReceivedCount).toBe(0);
    expect((await statsOf(right)).stats.likesReceivedCount).toBe(3);
  });
});
