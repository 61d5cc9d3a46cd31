import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { ObjectId } from 'mongodb';
import { openSqlite, postDocument, useIndex, userDocument } from '../../test/support/search-index.js';
import type { CommentDocument } from './search-index.js';
import { Database } from './sqlite/database.js';
import { termsOf } from '../common/words.js';

const POSITION = { token: { _data: '82' }, at: 1_000 };

const NONE = { ids: [], documents: [] };
const NO_CHANGES = { posts: NONE, users: NONE, comments: NONE };

describe.each([['sqlite', openSqlite] as const])('the %s index, as it is written,', (_, open) => {
  const index = useIndex(open);
  const [kept, changed, gone] = ['first', 'second', 'third'].map((n) =>
    postDocument({ title: `Number ${n} of them`, tags: ['numbers'] }),
  );
  const person = userDocument({ username: 'grace', fullName: 'Grace Hopper' });
  beforeAll(() => index.fill([kept!, changed!, gone!], [person]));
  const tagCount = () =>
    index.reader.query({ terms: termsOf('numbers'), kinds: ['tags'], sort: 'latest' }).tags[0]?.postsCount;
  const apply = (ids: string[], documents: (typeof kept & object)[]) =>
    index.writer.apply({ ...NO_CHANGES, posts: { ids, documents } }, POSITION);

  it('stores applied changes once, with their position', () => {
    const edited = { ...changed!, title: 'Something else' };
    expect(apply([changed!.id], [edited])).toBe(1);
    expect(apply([changed!.id], [edited])).toBe(0);
    expect(index.find('something')).toEqual([changed!.id]);
    expect(index.find('second')).toEqual([]);
    expect(index.writer.state().position).toEqual(POSITION);
  });

  it('finds comments by their words, newest first, until they are changed or deleted', () => {
    const [older, newer] = [1, 2].map((at) => ({
      id: ObjectId.createFromTime(1_700_000_000 + at).toHexString(),
      content: `Comment ${at} on *looms*`,
    }));
    const change = (documents: CommentDocument[]) =>
      index.writer.apply({ ...NO_CHANGES, comments: { ids: [older!.id, newer!.id], documents } }, POSITION);
    const found = (text: string) =>
      index.reader.query({ terms: termsOf(text), kinds: ['comments'], sort: 'relevance' }).comments.map(({ id }) => id);

    expect(change([older!, newer!])).toBe(2);
    expect(found('looms')).toEqual([newer!.id, older!.id]);
    expect(change([{ ...older!, content: 'Something else' }])).toBe(2);
    expect(found('looms')).toEqual([]);
    expect(found('something')).toEqual([older!.id]);
    expect(change([])).toBe(1);
    expect(found('something')).toEqual([]);
  });

  it('skips a post whose text cannot be read, names it once, and stores the others', () => {
    const damaged = postDocument({ title: 'Damaged' });
    const other = postDocument({ title: 'Undamaged' });
    damaged.text = { ...damaged.text, bytes: Buffer.from('not a text') };

    expect(apply([damaged.id, other.id], [damaged, other])).toBe(1);
    expect(index.find('undamaged')).toEqual([other.id]);
    expect(index.writer.takeUnreadable()).toEqual([[damaged.id, expect.any(String)]]);
    expect(index.writer.takeUnreadable()).toEqual([]);
    apply([other.id], []);
  });

  it('keeps no trace of removed documents', () => {
    expect(tagCount()).toBe(3);
    expect(apply([gone!.id, '0'.repeat(24)], [])).toBe(1);
    expect(index.find('third')).toEqual([]);
    expect(tagCount()).toBe(2);
    expect(index.writer.state().documents).toEqual({ posts: 2, users: 1, comments: 0 });
  });

  it('equals the documents after a scan that continues where it stopped', () => {
    const late = postDocument({ title: 'Number fourth of them' });
    index.writer.startScan(POSITION);
    const first = index.writer.applyScan({ kind: 'posts', after: null, upTo: kept!.id, documents: [kept!] });
    expect(first).toEqual({ scan: { kind: 'posts', after: kept!.id, done: 1 }, changed: 0 });
    const { scan } = index.writer.state();
    expect(index.writer.applyScan({ kind: 'posts', after: scan!.after, upTo: null, documents: [late] }).changed).toBe(
      2,
    );
    const end = { after: null, upTo: null, documents: [] };
    expect(index.writer.applyScan({ kind: 'users', ...end }).changed).toBe(1);
    expect(index.writer.applyScan({ kind: 'comments', ...end })).toEqual({ scan: null, changed: 0 });
    expect(index.writer.state().documents).toEqual({ posts: 2, users: 0, comments: 0 });
    expect(index.find('fourth')).toEqual([late.id]);
  });

  it('has one writer', () => {
    const { writer } = open(index.path);
    expect(() => writer.open()).toThrow(expect.objectContaining({ name: 'IndexLocked' }));
    writer.close();
  });

  it('serves no search before the first scan has ended, and is rebuilt when its file is missing or damaged', () => {
    for (const harm of [remove, damage]) {
      index.fill([kept!]);
      expect(index.find('number')).toEqual([kept!.id]);
      // The reader has cached the earlier pages.
      index.reader.close();
      harm(index.path);
      const notReady = expect.objectContaining({ name: 'IndexNotReady' });
      expect(() => index.find('number')).toThrow(notReady);
      expect(() => index.writer.moveTo(POSITION)).toThrow(expect.objectContaining({ name: 'IndexLost' }));
      expect(index.writer.reset()).toMatchObject({ isReady: false, documents: { posts: 0, users: 0 } });
      expect(() => index.find('number')).toThrow(notReady);
    }
    index.fill([kept!]);
    expect(index.find('number')).toEqual([kept!.id]);
  });
});

function remove(path: string): void {
  rmSync(path);
}

/** Overwrites all pages except the first. */
function damage(path: string): void {
  const database = Database.open(path);
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(400_000, 7), 0, 400_000, 4_096);
  closeSync(file);
}
