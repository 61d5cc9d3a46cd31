import { ObjectId } from 'mongodb';
import { canRead, requireReadable } from './visibility.js';

const [author, other] = [new ObjectId(), new ObjectId()];
const readers = [undefined, author, author.toHexString(), other, other.toHexString()];
const post = (isListed: boolean, deletedAt: Date | null = null) => ({ authorId: author, isListed, deletedAt });

describe('who may read a post', () => {
  it.each([
    ['a listed post', post(true), [true, true, true, true, true]],
    ['a hidden post', post(false), [false, true, true, false, false]],
    ['a deleted post', post(false, new Date()), [false, false, false, false, false]],
    ['no post', undefined, [false, false, false, false, false]],
  ])('decides for %s: visitor, author, others', (_, row, expected) => {
    expect(readers.map((reader) => canRead(row, reader))).toEqual(expected);
  });

  it('says nothing of a post that may not be read but that there is none', () => {
    expect(() => requireReadable(post(false), other)).toThrow(expect.objectContaining({ code: 'post_not_found' }));
    expect(() => requireReadable(undefined, other)).toThrow(expect.objectContaining({ code: 'post_not_found' }));
    expect(requireReadable(post(false), author)).toEqual(post(false));
  });
});
