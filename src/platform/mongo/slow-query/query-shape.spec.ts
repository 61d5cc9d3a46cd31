import { ObjectId } from 'mongodb';
import { queryShape } from './query-shape.js';

describe('queryShape', () => {
  it('keeps fields, operators and sort order, and removes every value', () => {
    const command = {
      find: 'posts',
      filter: { authorId: new ObjectId(), _id: { $lt: new ObjectId() } },
      sort: { _id: -1 },
      limit: 21,
      lsid: { id: 'x' },
    };
    expect(queryShape(command)).toBe(
      'find posts {"filter":{"authorId":"?","_id":{"$lt":"?"}},"sort":{"_id":-1},"limit":21}',
    );
  });

  it('is the same for lists of any length, so that it can be counted', () => {
    const shapeOf = (n: number) =>
      queryShape({ find: 'users', filter: { _id: { $in: Array.from({ length: n }, () => 'x') } } });
    expect(shapeOf(3)).toBe(shapeOf(300));
  });

  it('shows every stage of a pipeline and the first of many updates', () => {
    const pipeline = [{ $match: { a: 'secret' } }, { $sort: { a: -1 } }, { $limit: 5 }];
    expect(queryShape({ aggregate: 'posts', pipeline })).toBe(
      'aggregate posts {"pipeline":[{"$match":{"a":"?"}},{"$sort":{"a":-1}},{"$limit":5}]}',
    );
    const updates = [
      { q: { _id: 1 }, u: { $inc: { n: 1 } } },
      { q: { _id: 2 }, u: {} },
    ];
    expect(queryShape({ update: 'posts', updates })).toBe(
      'update posts {"updates":[{"q":{"_id":"?"},"u":{"$inc":{"n":"?"}}}]}',
    );
  });

  it('never shows a text in place of structure', () => {
    expect(queryShape({ aggregate: 'posts', pipeline: [{ $project: { a: 'secret' } }] })).not.toContain('secret');
  });
});
