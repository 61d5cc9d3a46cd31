import type { Document, ObjectId } from 'mongodb';
import { planOf, sortPathOf } from '../../src/feed/feed-plan.js';
import { FEED_SORTS, FEED_WINDOWS } from '../../src/feed/dto/feed.query.js';
import { useApp } from '../support/app.js';

type Stats = { nReturned: number; totalKeysExamined: number; totalDocsExamined: number };

function stagesOf(stage: Document): string[] {
  const children = [stage['inputStage'], ...((stage['inputStages'] as Document[] | undefined) ?? [])].filter(
    Boolean,
  ) as Document[];
  return [stage['stage'] as string, ...children.flatMap(stagesOf)];
}

describe('the plan of a feed page', () => {
  const seeded = useApp({ seeded: 'small' });
  const LIMIT = 11;

  const selections = FEED_SORTS.flatMap((sort) =>
    (sort === 'top' ? FEED_WINDOWS : (['all'] as const)).flatMap((window) =>
      [{}, { tag: true }, { type: true }, { tag: true, type: true }, { author: true }].map((filters) => ({
        sort,
        window,
        ...filters,
      })),
    ),
  );

  let popularTag: string;
  let prolific: ObjectId;
  beforeAll(async () => {
    const posts = seeded.db.collection('posts');
    const tags = posts.aggregate<{ _id: string }>([{ $unwind: '$tags' }, { $sortByCount: '$tags' }]);
    popularTag = (await tags.next())!._id;
    const authors = posts.aggregate<{ _id: ObjectId }>([{ $match: { isListed: true } }, { $sortByCount: '$authorId' }]);
    prolific = (await authors.next())!._id;
    await Promise.all([tags.close(), authors.close()]);
  });

  it.each(selections)('%j is one ordered index range that examines only returned rows', async (chosen) => {
    const posts = seeded.db.collection('posts');
    const selection = {
      sort: chosen.sort,
      window: chosen.window,
      ...('tag' in chosen ? { tag: popularTag } : {}),
      ...('type' in chosen ? { type: 'article' as const } : {}),
      ...('author' in chosen ? { authorId: prolific } : {}),
    };
    const path = sortPathOf(selection.sort, 'A');
    const first = planOf(selection, 'A', null);
    const rows = await posts.find(first.filter).sort(first.sort).hint(first.hint).limit(3).toArray();
    const last = rows.at(-1);
    const valueOf = (row: Document): number =>
      path === null ? (row['createdAt'] as Date).getTime() : (row['rank'] as Record<string, number>)[path.slice(5)]!;
    const next =
      last === undefined
        ? first
        : planOf(selection, 'A', { epoch: 1, value: valueOf(last), id: last._id.toHexString() });
    for (const plan of [first, next]) {
      const explained = await posts
        .find(plan.filter)
        .sort(plan.sort)
        .hint(plan.hint)
        .limit(LIMIT)
        .explain('executionStats');
      const stats = explained['executionStats'] as Stats & { executionStages: Document };
      const stages = stagesOf(stats.executionStages);
      expect(stages).toContain('IXSCAN');
      expect(stages).not.toContain('SORT');
      expect(stages).not.toContain('COLLSCAN');
      // A merge of many ranges may read one document ahead in each. A window of one author filters within that author's posts.
      const isFilteredWithinAuthor = 'author' in chosen && chosen.window !== 'all';
      if (!isFilteredWithinAuthor) expect(stats.totalDocsExamined - stats.nReturned).toBeLessThanOrEqual(1);
    }
  });
});
