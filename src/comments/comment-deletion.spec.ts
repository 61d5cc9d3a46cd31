import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { planDeletions, type DeletableComment } from './comment-deletion.js';

const postId = new ObjectId();

/** Builds a thread from parent indexes (-1: top level), with correct reply counts. */
function thread(parents: number[]): DeletableComment[] {
  const rows = parents.map((parent): DeletableComment & { parent: number } => ({
    _id: new ObjectId(),
    postId,
    parentId: null,
    parent,
    deletedAt: null,
    isVisible: true,
    stats: { repliesCount: 0 },
  }));
  for (const row of rows) {
    if (row.parent < 0) continue;
    row.parentId = rows[row.parent]!._id;
    rows[row.parent]!.stats.repliesCount++;
  }
  return rows;
}

const mapOf = (rows: DeletableComment[]) => new Map(rows.map((row) => [row._id.toHexString(), row]));

function apply(rows: DeletableComment[], targets: ObjectId[]) {
  const plan = planDeletions(targets, mapOf(rows));
  for (const change of plan.changes) {
    const row = rows.find(({ _id }) => _id === change._id)!;
    if (change.isDeleted) row.deletedAt = new Date();
    if (change.isHidden) row.isVisible = false;
    row.stats.repliesCount += change.replies;
  }
  return plan;
}

/** Marks a comment as removed by a moderator. */
function removeByModerator(row: DeletableComment): void {
  row.deletedAt = new Date();
  row.removal = { actionId: new ObjectId(), at: row.deletedAt, reason: '', content: 'text', mentions: [] };
}

const deletedBy = ({ changes }: ReturnType<typeof planDeletions>) =>
  changes.filter(({ isDeleted }) => isDeleted).map(({ _id }) => _id);

describe('planRemovals', () => {
  it('keeps a tombstone while it has replies, and removes it with the last one', () => {
    const rows = thread([-1, 0, 1]);
    const [root, middle, leaf] = rows as [DeletableComment, DeletableComment, DeletableComment];
    apply(rows, [root._id]);
    apply(rows, [middle._id]);
    expect(rows.map(({ isVisible }) => isVisible)).toEqual([true, true, true]);
    const plan = apply(rows, [leaf._id]);
    expect(rows.map(({ isVisible }) => isVisible)).toEqual([false, false, false]);
    expect(rows.map(({ stats }) => stats.repliesCount)).toEqual([0, 0, 0]);
    expect(deletedBy(plan)).toEqual([leaf._id]);
    expect([...plan.postStats.values()]).toEqual([{ commentsCount: -1 }]);
  });

  it('changes nothing for deleted or unknown comments', () => {
    const rows = thread([-1]);
    apply(rows, [rows[0]!._id]);
    const plan = planDeletions([rows[0]!._id, new ObjectId()], mapOf(rows));
    expect([plan.changes, [...plan.postStats]]).toEqual([[], []]);
  });

  it('hides the root of a tree that is too large for one batch, and keeps counters exact until the rest is deleted', () => {
    const rows = thread([-1, 0, 1, 1, 0]);
    const [top, root, first, second] = rows as DeletableComment[] & { length: 5 };
    const plan = planDeletions([first!._id, root!._id], mapOf(rows), root!._id);
    expect(plan.changes.find(({ _id }) => _id === root!._id)).toMatchObject({
      isDeleted: true,
      isHidden: true,
      replies: -1,
    });
    expect(plan.changes.find(({ _id }) => _id === top!._id)).toMatchObject({
      isDeleted: false,
      isHidden: false,
      replies: -1,
    });
    expect([...plan.postStats.values()]).toEqual([{ commentsCount: -2 }]);
    Object.assign(root!, { deletedAt: new Date(), isVisible: false, stats: { repliesCount: 1 } });
    const rest = planDeletions([second!._id], mapOf(rows));
    expect(rest.changes.find(({ _id }) => _id === root!._id)).toEqual({
      _id: root!._id,
      isDeleted: false,
      isHidden: false,
      replies: -1,
    });
  });

  it('leaves exactly the live comments and the tombstones above them visible, and counts each once', () => {
    const anyThread = fc
      .array(fc.nat(), { minLength: 1, maxLength: 25 })
      .map((seeds) => seeds.map((seed, index) => (seed % (index + 1)) - 1));
    const anyBatches = fc.array(fc.array(fc.nat(24), { maxLength: 6 }), { maxLength: 8 });
    fc.assert(
      fc.property(anyThread, anyBatches, (parents, batches) => {
        const rows = thread(parents);
        const live = new Set(rows.keys());
        let commentsCount = rows.length;
        for (const batch of batches) {
          const targets = batch.filter((index) => index < rows.length);
          const { postStats } = apply(
            rows,
            targets.map((index) => rows[index]!._id),
          );
          for (const index of targets) live.delete(index);
          commentsCount += postStats.get(postId.toHexString())?.commentsCount ?? 0;

          const isVisible = rows.map((_, index) => live.has(index));
          // Visits replies first, because a parent precedes its replies.
          for (let index = rows.length - 1; index >= 0; index--)
            if (isVisible[index] && parents[index]! >= 0) isVisible[parents[index]!] = true;
          expect(rows.map((row) => row.isVisible)).toEqual(isVisible);
          expect(rows.map((row) => row.deletedAt === null)).toEqual(rows.map((_, index) => live.has(index)));
          expect(rows.map((row) => row.stats.repliesCount)).toEqual(
            rows.map((_, index) => parents.filter((parent, reply) => parent === index && isVisible[reply]).length),
          );
          expect(commentsCount).toBe(live.size);
        }
      }),
    );
  });

  it('keeps a comment that a moderator removed when its last reply is deleted', () => {
    const rows = thread([-1, 0]);
    removeByModerator(rows[0]!);
    apply(rows, [rows[1]!._id]);
    expect(rows[0]).toMatchObject({ isVisible: true, stats: { repliesCount: 0 } });
  });

  it('deletes a comment that a moderator removed, and counts it once', () => {
    const rows = thread([-1]);
    removeByModerator(rows[0]!);
    const plan = apply(rows, [rows[0]!._id]);
    expect(deletedBy(plan)).toEqual([rows[0]!._id]);
    expect(rows[0]!.isVisible).toBe(false);
    expect([...plan.postStats]).toEqual([]);
  });
});
