import { CacheEntry } from './cache-entry.js';
import { EntryStore } from './entry-store.js';

const POLICY = { freshMs: 30_000, staleMs: 30_000, staleIfErrorMs: 60_000 } as const;

type Options = { bytes?: number; tags?: string[]; headers?: Record<string, string>; storeOnSecondUse?: boolean };

function entryOf(
  key: string,
  { bytes = 1_000, tags = [], headers = {}, storeOnSecondUse = false }: Options = {},
): CacheEntry {
  return new CacheEntry({
    key,
    route: 'test',
    body: Buffer.alloc(bytes),
    headers,
    tags,
    policy: POLICY,
    storeOnSecondUse,
  });
}

describe('EntryStore', () => {
  it('keeps its byte limit and the used pages during a scan of 20,000 URLs', () => {
    const store = new EntryStore(2_000_000);
    const hot = Array.from({ length: 100 }, (_, index) => `/hot/${index}`);
    for (const key of hot) store.set(entryOf(key));
    for (let index = 0; index < 20_000; index++) {
      const entry = entryOf(`/scan/${index}`);
      store.set(entry);
      store.addAlias(`/raw/${index}`, entry);
      store.use(store.getByUrl(hot[index % hot.length]!)!);
    }
    expect(store.bytes).toBeGreaterThan(1_900_000);
    expect(store.bytes).toBeLessThanOrEqual(2_000_000);
    expect(store.getByUrl('/raw/0')).toBeUndefined();
    expect(store.getByUrl('/raw/19999')).toBeDefined();
  });

  it('stores a rare page on its second computation', () => {
    const store = new EntryStore(1_000_000);
    const rare = () => entryOf('/feed?cursor=x', { storeOnSecondUse: true });
    const first = rare();
    store.set(first);
    store.addAlias('/feed?cursor=x&limit=20', first);
    expect([store.size, store.getByUrl('/feed?cursor=x&limit=20')]).toEqual([0, undefined]);
    store.set(rare());
    const renewed = rare();
    store.set(renewed);
    expect([first.isStored, store.get('/feed?cursor=x')]).toEqual([false, renewed]);
  });

  it('removes every entry of a tag with its aliases, and no others', () => {
    const store = new EntryStore(1_000_000);
    const [one, two, other] = [
      entryOf('/1', { tags: ['feed', 'post:1'] }),
      entryOf('/2', { tags: ['feed'] }),
      entryOf('/3', { tags: ['post:3'] }),
    ];
    for (const entry of [one, two, other]) {
      store.set(entry);
      store.addAlias(`${entry.key}?raw`, entry);
    }
    store.deleteTag('feed');
    expect(['/1', '/2', '/1?raw', '/2?raw'].map((url) => store.getByUrl(url))).toEqual(Array(4).fill(undefined));
    expect([one.isStored, two.isStored, other.isStored]).toEqual([false, false, true]);
    expect(store.getByUrl('/3?raw')).toBe(other);
  });

  it('keeps the known URLs of a page when the page is computed again', () => {
    const store = new EntryStore(1_000_000);
    const before = entryOf('/feed');
    store.set(before);
    store.addAlias('/feed?limit=20', before);
    const after = entryOf('/feed');
    store.set(after);
    expect(store.getByUrl('/feed?limit=20')).toBe(after);
    expect(before.isStored).toBe(false);
    expect(store.size).toBe(1);
  });

  it('finds a page by its key, its own address and the eight latest other spellings', () => {
    const store = new EntryStore(1_000_000);
    const named = () => entryOf('/post/1', { headers: { 'content-location': '/post/title-1' } });
    const [entry, renewed] = [named(), named()];
    store.set(entry);
    for (let index = 0; index < 100; index++) store.addAlias(`/post/odd${index}-1`, entry);
    store.addAlias(`/post/1?${'&'.repeat(1_000)}`, entry);
    const found = () => [
      ...['/post/1', '/post/title-1', '/post/odd91-1', '/post/odd92-1', '/post/odd99-1'].map(
        (url) => store.getByUrl(url)?.storedAt,
      ),
      store.getByUrl(`/post/1?${'&'.repeat(1_000)}`),
    ];
    const of = ({ storedAt }: CacheEntry) => [storedAt, storedAt, undefined, storedAt, storedAt, undefined];
    expect(found()).toEqual(of(entry));
    store.set(renewed);
    expect(found()).toEqual(of(renewed));
    store.clear();
    expect(found()).toEqual(Array(6).fill(undefined));
  });

  it('counts encoded forms and refuses an entry of a tenth of the bytes', () => {
    const store = new EntryStore(100_000);
    const entry = entryOf('/1', { tags: ['post:1'] });
    store.set(entry);
    store.addAlias('/1?raw', entry);
    const before = store.bytes;
    entry.addVariant('gzip', Buffer.alloc(500));
    store.set(entry);
    expect(store.bytes).toBe(before + 500);
    expect(['/1', '/1?raw'].map((url) => store.getByUrl(url))).toEqual([entry, entry]);
    const giant = entryOf('/giant', { bytes: 50_000 });
    store.set(giant);
    store.addAlias('/giant?raw', giant);
    expect([giant.isStored, store.get('/giant'), store.getByUrl('/giant?raw')]).toEqual([false, undefined, undefined]);
    store.deleteTag('post:1');
    expect([store.bytes, store.getByUrl('/1?raw')]).toEqual([0, undefined]);
  });
});
