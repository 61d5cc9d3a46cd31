import { ObjectId } from 'mongodb';
import { type OpenIndex, postDocument, useIndex, userDocument } from './test-index.js';
import type { CommentDocument } from '../../../src/search/search-index.js';
import { termsOf } from '../../../src/common/words.js';

const POSITION = { token: { _data: '82' }, at: 1_000 };

const NONE = { ids: [], documents: [] };
const NO_CHANGES = { posts: NONE, users: NONE, comments: NONE };

/** The contract of writes of every engine. */
export const describeWrites = (open: OpenIndex): void =>
  describe('an index, as it is written,', () => {
    const index = useIndex(open);
    const [kept, changed, gone] = ['first', 'second', 'third'].map((n) =>
      postDocument({ title: `Number ${n} of them`, tags: ['numbers'] }),
    );
    const person = userDocument({ username: 'grace', fullName: 'Grace Hopper' });
    beforeAll(() => index.fill([kept!, changed!, gone!], [person]));
    const tagCount = async () =>
      (await index.reader.query({ terms: termsOf('numbers'), kinds: ['tags'], sort: 'latest' })).tags[0]?.postsCount;
    const apply = (ids: string[], documents: (typeof kept & object)[]) =>
      index.writer.apply({ ...NO_CHANGES, posts: { ids, documents } }, POSITION);

    it('stores applied changes once, with their position', async () => {
      const edited = { ...changed!, title: 'Something else' };
      expect(await apply([changed!.id], [edited])).toBe(1);
      expect(await apply([changed!.id], [edited])).toBe(0);
      expect(await index.find('something')).toEqual([changed!.id]);
      expect(await index.find('second')).toEqual([]);
      expect((await index.writer.state()).position).toEqual(POSITION);
    });

    it('finds comments by their words, newest first, until they are changed or deleted', async () => {
      const [older, newer] = [1, 2].map((at) => ({
        id: ObjectId.createFromTime(1_700_000_000 + at).toHexString(),
        content: `Comment ${at} on *looms*`,
      }));
      const change = (documents: CommentDocument[]) =>
        index.writer.apply({ ...NO_CHANGES, comments: { ids: [older!.id, newer!.id], documents } }, POSITION);
      const found = async (text: string) =>
        (await index.reader.query({ terms: termsOf(text), kinds: ['comments'], sort: 'relevance' })).comments.map(
          ({ id }) => id,
        );

      expect(await change([older!, newer!])).toBe(2);
      expect(await found('looms')).toEqual([newer!.id, older!.id]);
      expect(await change([{ ...older!, content: 'Something else' }])).toBe(2);
      expect(await found('looms')).toEqual([]);
      expect(await found('something')).toEqual([older!.id]);
      expect(await change([])).toBe(1);
      expect(await found('something')).toEqual([]);
    });

    it('skips a post whose text cannot be read, names it once, and stores the others', async () => {
      const damaged = postDocument({ title: 'Damaged' });
      const other = postDocument({ title: 'Undamaged' });
      damaged.text = { ...damaged.text, bytes: Buffer.from('not a text') };

      expect(await apply([damaged.id, other.id], [damaged, other])).toBe(1);
      expect(await index.find('undamaged')).toEqual([other.id]);
      expect(await index.writer.takeUnreadable()).toEqual([[damaged.id, expect.any(String)]]);
      expect(await index.writer.takeUnreadable()).toEqual([]);
      await apply([other.id], []);
    });

    it('keeps no trace of removed documents', async () => {
      expect(await tagCount()).toBe(3);
      expect(await apply([gone!.id, '0'.repeat(24)], [])).toBe(1);
      expect(await index.find('third')).toEqual([]);
      expect(await tagCount()).toBe(2);
      expect((await index.writer.state()).documents).toEqual({ posts: 2, users: 1, comments: 0 });
    });

    it('equals the documents after a scan that continues where it stopped', async () => {
      const late = postDocument({ title: 'Number fourth of them' });
      await index.writer.startScan(POSITION);
      const first = await index.writer.applyScan({ kind: 'posts', after: null, upTo: kept!.id, documents: [kept!] });
      expect(first).toEqual({ scan: { kind: 'posts', after: kept!.id, done: 1 }, changed: 0 });
      const { scan } = await index.writer.state();
      const second = await index.writer.applyScan({ kind: 'posts', after: scan!.after, upTo: null, documents: [late] });
      expect(second.changed).toBe(2);
      const end = { after: null, upTo: null, documents: [] };
      expect((await index.writer.applyScan({ kind: 'users', ...end })).changed).toBe(1);
      expect(await index.writer.applyScan({ kind: 'comments', ...end })).toEqual({ scan: null, changed: 0 });
      expect((await index.writer.state()).documents).toEqual({ posts: 2, users: 0, comments: 0 });
      expect(await index.find('fourth')).toEqual([late.id]);
    });

    it('has one writer', async () => {
      const { writer } = open(index.path);
      await expect(writer.open()).rejects.toMatchObject({ name: 'IndexLocked' });
      await writer.close();
    });
  });
