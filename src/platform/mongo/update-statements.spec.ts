import { ObjectId } from 'mongodb';
import { statsStatements } from './update-statements.js';

const id = (digit: number) => String(digit).repeat(24);

describe('the statements that move counters', () => {
  it('share one statement for equal changes, so that no counter moves twice or not at all', () => {
    const changes = new Map([
      [id(1), { likesCount: 1, dislikesCount: 0 }],
      [id(2), { dislikesCount: 1, likesCount: -1 }],
      [id(3), { likesCount: 1 }],
      [id(4), { likesCount: 2 }],
      [id(5), { likesCount: -1, dislikesCount: 1 }],
    ]);
    const oid = (digit: number) => new ObjectId(id(digit));
    expect(statsStatements(changes, ['likesCount', 'dislikesCount'])).toEqual([
      { q: { _id: { $in: [oid(1), oid(3)] } }, u: { $inc: { 'stats.likesCount': 1 } }, multi: true },
      {
        q: { _id: { $in: [oid(2), oid(5)] } },
        u: { $inc: { 'stats.likesCount': -1, 'stats.dislikesCount': 1 } },
        multi: true,
      },
      { q: { _id: oid(4) }, u: { $inc: { 'stats.likesCount': 2 } }, multi: false },
    ]);
  });

  it('leave out changes that add up to zero, and counters of other collections', () => {
    const changes = new Map([
      [id(1), { likesCount: 0 }],
      [id(2), { likesCount: 1, other: 5 }],
    ]);
    expect(statsStatements(changes, ['likesCount'])).toEqual([
      { q: { _id: new ObjectId(id(2)) }, u: { $inc: { 'stats.likesCount': 1 } }, multi: false },
    ]);
    expect(statsStatements(new Map(), ['likesCount'])).toEqual([]);
  });
});
