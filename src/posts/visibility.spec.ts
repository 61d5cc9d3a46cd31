import { ObjectId } from 'mongodb';
import type { Role } from '../platform/access/viewer.js';
import { VISIBILITIES } from './post-types.js';
import { canRead, canSee, isListedFor, requestedVisibility, requireVisible, visibilityOf } from './visibility.js';

const [author, other] = [new ObjectId(), new ObjectId()];
const readers = [undefined, author, author.toHexString(), other, other.toHexString()];
const viewer = (id: ObjectId, role: Role = 'user') => ({ id: id.toHexString(), role });
const post = (isListed: boolean, deletedAt: Date | null = null) => ({ authorId: author, isListed, deletedAt });
const unlisted = { ...post(false), isUnlisted: true };

describe('the visibility of a post', () => {
  it.each([
    ['a listed post', post(true), [true, true, true, true, true]],
    ['a hidden post', post(false), [false, true, true, false, false]],
    ['an unlisted post', unlisted, [true, true, true, true, true]],
    ['a deleted unlisted post', { ...unlisted, deletedAt: new Date() }, [false, false, false, false, false]],
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

  it('keeps unlisted posts out of lists of others, except for moderators', () => {
    const viewers = [null, viewer(other), viewer(author), viewer(other, 'moderator')];
    const shownIn = (row: Parameters<typeof isListedFor>[0]) => viewers.map((one) => isListedFor(row, one));
    expect(shownIn(post(true))).toEqual([true, true, true, true]);
    expect(shownIn(unlisted)).toEqual([false, false, true, true]);
    expect(shownIn(post(false))).toEqual([false, false, true, true]);
    expect(shownIn({ ...unlisted, deletedAt: new Date() })).toEqual([false, false, false, false]);
    expect(shownIn(undefined)).toEqual([false, false, false, false]);
  });
});

describe('a requested visibility', () => {
  it.each(VISIBILITIES)('is stored, alone or with an isPublic that agrees: %s', (visibility) => {
    const isPublic = visibility === 'public';
    const stored = requestedVisibility({ visibility });
    expect(visibilityOf({ isPublic: false, ...stored })).toBe(visibility);
    expect(requestedVisibility({ visibility, isPublic })).toEqual(stored);
    const refused = expect.objectContaining({
      code: 'invalid_visibility',
      fields: [{ field: 'visibility', message: `contradicts isPublic: ${!isPublic}` }],
    }) as Error;
    expect(() => requestedVisibility({ visibility, isPublic: !isPublic })).toThrow(refused);
  });

  it('is public or private by isPublic alone, and unchanged by neither', () => {
    expect(requestedVisibility({ isPublic: true })).toEqual(requestedVisibility({ visibility: 'public' }));
    expect(requestedVisibility({ isPublic: false })).toEqual(requestedVisibility({ visibility: 'private' }));
    expect(requestedVisibility({})).toEqual({});
  });
});
