import { CacheEntry } from './cache-entry.js';
import { EntryStore } from './entry-store.js';

const POLICY = { freshMs: 30_000, staleMs: 30_000, staleIfErrorMs: 60_000 } as const;

function entryOf(key: string, bytes = 1_000, tags: string[] = [], headers: Record<string, string> = {}): CacheEntry {
  return new CacheEntry({
    key,
    route: 'test',
    body: Buffer.alloc(bytes),
    headers,
    tags,
    policy: POLICY,
  });
}

describe('EntryStore', () => {
  it('keeps its byte bound and the hot set through a scan of 200,000 URLs', () => {
    const store = new EntryStore(2_000_000);
    const hot = Array.from({ length: 100 }, (_, index) => `/hot/${index}`);
    for (const key of hot) store.set(entryOf(key));
    for (const key of hot) store.get(key);
    const scanned = entryOf('/scan');
    for (let index = 0; index < 200_000; index++) {
      // one body shared by all: the hash of each costs more than the store
      const entry = Object.assign(Object.create(CacheEntry.prototype) as CacheEntry, scanned, {
        key: `/scan/${index}`,
        aliases: [],
        frequency: 0,
      });
      store.set(entry);
      store.addAlias(`/raw/${index}`, entry);
      if (index % 1_000 === 0) {
        for (const key of hot) store.get(key);
        expect(store.bytes).toBeLessThanOrEqual(2_000_000);
      }
    }
    expect(hot.filter((key) => store.get(key) !== undefined)).toHaveLength(100);
    expect(store.aliasCount).toBeLessThanOrEqual(store.size * 8);
  });

  it('removes every entry of a tag, its aliases with it, and nothing else', () => {
    const store = new EntryStore(1_000_000);
    const [one, two, other] = [
      entryOf('/1', 10, ['feed', 'post:1']),
      entryOf('/2', 10, ['feed']),
      entryOf('/3', 10, ['post:3']),
    ];
    for (const entry of [one, two, other]) {
      store.set(entry);
      store.addAlias(`${entry.key}?raw`, entry);
    }
    expect(store.deleteTag('feed')).toBe(2);
    expect(store.getByUrl('/1?raw')).toBeUndefined();
    expect(one.isLive || two.isLive).toBe(false);
    expect(store.getByUrl('/3?raw')).toBe(other);
    expect(store.deleteTag('feed')).toBe(0);
  });

  it('keeps the known URLs of a page when the page is computed anew', () => {
    const store = new EntryStore(1_000_000);
    const before = entryOf('/feed');
    store.set(before);
    store.addAlias('/feed?limit=20', before);
    const after = entryOf('/feed');
    store.set(after);
    expect(store.getByUrl('/feed?limit=20')).toBe(after);
    expect(before.isLive).toBe(false);
    expect(store.size).toBe(1);
  });

  it('bounds the URLs one page may be known by', () => {
    const store = new EntryStore(1_000_000);
    const entry = entryOf('/feed');
    store.set(entry);
    for (let index = 0; index < 100; index++) store.addAlias(`/feed?x=${index}`, entry);
    expect(store.aliasCount).toBe(8);
    // the most recent ones
    expect(store.getByUrl('/feed?x=91')).toBeUndefined();
    expect(store.getByUrl('/feed?x=92')).toBe(entry);
  });

  it('finds a page by its key and own address after many other spellings', () => {
    const store = new EntryStore(100_000_000);
    const named = () => entryOf('/post/1', 10, [], { 'content-location': '/post/title-1' });
    const entry = named();
    store.set(entry);
    for (let index = 0; index < 100; index++) store.addAlias(`/post/odd${index}-1`, entry);
    expect([store.getByUrl('/post/1'), store.getByUrl('/post/title-1')]).toEqual([entry, entry]);
    // nor do the spellings of other pages take their place
    for (let page = 0; page < 7_000; page++) {
      const other = entryOf(`/other/${page}`, 10);
      store.set(other);
      for (let index = 0; index < 8; index++) store.addAlias(`/other/${page}?x=${index}`, other);
    }
    expect(store.aliasCount).toBe(50_000);
    expect([store.getByUrl('/post/1'), store.getByUrl('/post/title-1')]).toEqual([entry, entry]);
    const renewed = named();
    store.set(renewed);
    expect([store.getByUrl('/post/1'), store.getByUrl('/post/title-1')]).toEqual([renewed, renewed]);
    store.clear();
    expect([store.getByUrl('/post/1'), store.getByUrl('/post/title-1')]).toEqual([undefined, undefined]);
    expect(store.aliasCount).toBe(0);
  });

  it('keeps no spelling that is longer than any address needs to be', () => {
    const store = new EntryStore(1_000_000);
    const entry = entryOf('/feed');
    store.set(entry);
    store.addAlias(`/feed?${'&'.repeat(1_000)}`, entry);
    expect(store.aliasCount).toBe(0);
  });

  it('counts encoded forms and refuses an entry of a tenth of the bytes', () => {
    const store = new EntryStore(100_000);
    const entry = entryOf('/1', 1_000);
    store.set(entry);
    const before = store.bytes;
    store.grow(entry, entry.addVariant('gzip', Buffer.alloc(500)));
    expect(store.bytes).toBe(before + 500);
    store.set(entryOf('/giant', 50_000));
    expect(store.get('/giant')).toBeUndefined();
    const refused = entryOf('/giant', 50_000);
    store.set(refused);
    store.addAlias('/giant?raw', refused);
    expect(store.getByUrl('/giant?raw')).toBeUndefined(); // nor does its URL keep it in memory
    // nor are encoded forms of it counted
    store.grow(refused, refused.addVariant('gzip', Buffer.alloc(500)));
    expect(store.bytes).toBe(before + 500);
    store.delete('/1');
    expect(store.bytes).toBe(0);
  });
});
