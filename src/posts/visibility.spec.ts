import { ObjectId } from 'mongodb';
import type { Role } from '../platform/auth/viewer.js';
import { canRead, canSee, requireVisible } from './visibility.js';

const [author, other] = [new ObjectId(), new ObjectId()];
const readers = [undefined, author, author.toHexString(), other, other.toHexString()];
const viewer = (id: ObjectId, role: Role = 'user') => ({ id: id.toHexString(), role });
const post = (isListed: boolean, deletedAt: Date | null = null) => ({ authorId: author, isListed, deletedAt });

describe('the visibility of a post', () => {
  it.each([
    ['a listed post', post(true), [true, true, true, true, true]],
    ['a hidden post', post(false), [false, true, true, false, false]],
    ['a deleted post', post(false, new Date()), [false, false, false, false, false]],
    ['no post', undefined, [false, false, false, false, false]],
  ])('decides for %s: visitor, author, others', (_, row, expected) => {
    expect(readers.map((reader) => canRead(row, reader))).toEqual(expected);
  });

  it('reports an unreadable post as not found', () => {
    const notFound = expect.objectContaining({ code: 'post_not_found' }) as Error;
    expect(() => requireVisible(post(false), viewer(other))).toThrow(notFound);
    expect(() => requireVisible(undefined, viewer(other, 'admin'))).toThrow(notFound);
    expect(requireVisible(post(false), viewer(author))).toEqual(post(false));
  });

  it('shows hidden posts to their authors and moderators, and deleted ones to no viewer', () => {
    for (const role of ['moderator', 'admin'] as const) {
      expect(canSee(post(false), viewer(other, role))).toBe(true);
      expect(canSee(post(false, new Date()), viewer(other, role))).toBe(false);
    }
    expect([canSee(post(false), viewer(other)), canSee(post(false), null), canSee(post(true), null)]).toEqual([
      ...[false, false, true],
    ]);
  });
});
