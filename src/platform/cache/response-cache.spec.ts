import { createCache } from 'cache-manager';
import { Keyv } from 'keyv';
import type { ClientSession } from 'mongodb';
import { CodedError } from '../../common/errors.js';
import { CacheEntry } from './cache-entry.js';
import { EntryStore } from './entry-store.js';
import { EntryStoreAdapter } from './entry-store.adapter.js';
import { ResponseCache } from './response-cache.js';

const POLICY = { freshMs: 10_000, staleMs: 10_000, staleIfErrorMs: 60_000 } as const;

function entryOf(key: string, text: string, tags: string[] = ['feed'], now = performance.now()): CacheEntry {
  return new CacheEntry({
    key,
    route: 'test',
    body: Buffer.from(text),
    headers: {},
    tags,
    policy: POLICY,
    now,
  });
}

function setUp() {
  const store = new EntryStore(10_000_000);
  const keyv = new Keyv({
    store: new EntryStoreAdapter(store),
    serialize: undefined,
    deserialize: undefined,
    useKeyPrefix: false,
  });
  return { store, cache: new ResponseCache(store, createCache({ stores: [keyv] })) };
}

const textOf = (looked: { entry: CacheEntry }): string => looked.entry.identity.body.toString();
const ago = (ms: number): number => performance.now() - ms;

describe('ResponseCache', () => {
  it('computes once for 1,000 callers of a missing key', async () => {
    const { cache } = setUp();
    let loads = 0;
    const load = async (): Promise<CacheEntry> => {
      loads++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return entryOf('/feed', 'page');
    };
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => cache.fetch('/feed', load)));
    expect(loads).toBe(1);
    expect(new Set(answers.map(textOf))).toEqual(new Set(['page']));
    expect((await cache.fetch('/feed', load)).state).toBe('HIT');
    expect(loads).toBe(1);
  });

  it('lets nobody wait while a stale answer exists, and computes the next one once', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'old', ['feed'], ago(15_000)));
    let loads = 0;
    let finish: (entry: CacheEntry) => void = () => undefined;
    const load = (): Promise<CacheEntry> => {
      loads++;
      return new Promise((resolve) => (finish = resolve));
    };
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => cache.fetch('/feed', load)));
    expect(new Set(answers.map((answer) => `${answer.state} ${textOf(answer)}`))).toEqual(new Set(['STALE old']));
    expect(loads).toBe(1);
    finish(entryOf('/feed', 'new'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(textOf(await cache.fetch('/feed', load))).toBe('new');
    expect(loads).toBe(1);
  });

  it('bridges a failing computation with the last answer, but not a refusal', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'old', ['feed'], ago(30_000)));
    const down = (): Promise<CacheEntry> => Promise.reject(new CodedError('database_unavailable', 'gone'));
    expect(await cache.fetch('/feed', down).then((looked) => [looked.state, textOf(looked)])).toEqual(['ERROR', 'old']);
    const gone = (): Promise<CacheEntry> => Promise.reject(new CodedError('post_not_found', 'gone'));
    await expect(cache.fetch('/feed', gone)).rejects.toMatchObject({ code: 'post_not_found' });
    expect(store.get('/feed')).toBeUndefined();
    store.set(entryOf('/old', 'ancient', ['feed'], ago(100_000)));
    await expect(cache.fetch('/old', down)).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  it('gives the last answer when a computation does not end, once after a second and then at once, and stores it when it does', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'old', ['feed'], ago(30_000)));
    let finish: (entry: CacheEntry) => void = () => undefined;
    const hang = (): Promise<CacheEntry> => new Promise((resolve) => (finish = resolve));
    const timed = async () => {
      const startedAt = performance.now();
      const looked = await cache.fetch('/feed', hang);
      return { told: `${looked.state} ${textOf(looked)}`, ms: performance.now() - startedAt };
    };
    const [first, joined] = await Promise.all([timed(), timed()]);
    expect([first.told, joined.told]).toEqual(['ERROR old', 'ERROR old']);
    expect(first.ms).toBeGreaterThan(900);
    expect(first.ms).toBeLessThan(20_000);
    let later = await timed();
    // a busy machine may be late by itself, but not each time
    for (let more = 5; more > 0 && later.ms >= 900; more--) later = await timed();
    expect(later.told).toBe('ERROR old');
    expect(later.ms).toBeLessThan(900);
    finish(entryOf('/feed', 'new'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await timed()).told).toBe('HIT new');
  });

  it('bridges nothing with an answer that was invalidated while the computation hung', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'with the deleted post', ['feed'], ago(30_000)));
    let finish: (entry: CacheEntry) => void = () => undefined;
    const pending = cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    cache.invalidate(['feed']);
    setTimeout(() => finish(entryOf('/feed', 'without')), 1_200);
    expect(textOf(await pending)).toBe('without');
  });

  it('never stores an answer computed before an invalidation', async () => {
    const { cache, store } = setUp();
    let finish: (entry: CacheEntry) => void = () => undefined;
    const pending = cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    cache.invalidate(['feed']);
    finish(entryOf('/feed', 'with the deleted post'));
    expect(textOf(await pending)).toBe('with the deleted post'); // its caller asked before
    expect(store.get('/feed')).toBeUndefined();
    expect(textOf(await cache.fetch('/feed', async () => entryOf('/feed', 'without')))).toBe('without');
  });

  it('does not let a caller after the invalidation join a computation from before it', async () => {
    const { cache } = setUp();
    let finish: (entry: CacheEntry) => void = () => undefined;
    const before = cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    cache.invalidate(['feed']);
    const after = await cache.fetch('/feed', async () => entryOf('/feed', 'after'));
    expect(textOf(after)).toBe('after');
    finish(entryOf('/feed', 'before'));
    await before;
    expect(textOf(await cache.fetch('/feed', async () => entryOf('/feed', 'third')))).toBe('after');
  });

  it('remembers that there is nothing for a while, and forgets it when anything changes', async () => {
    const { cache } = setUp();
    let loads = 0;
    const load = (): Promise<CacheEntry> => {
      loads++;
      return Promise.reject(new CodedError('post_not_found', 'gone'));
    };
    for (let count = 0; count < 3; count++)
      await expect(cache.fetch('/posts/1', load)).rejects.toMatchObject({ code: 'post_not_found' });
    expect(loads).toBe(1);
    cache.invalidate(['post:1']);
    expect(textOf(await cache.fetch('/posts/1', async () => entryOf('/posts/1', 'published')))).toBe('published');
  });

  it('obeys invalidations from other processes and does not send them on again', async () => {
    const { cache, store } = setUp();
    const published: string[][] = [];
    let receive: (tags: string[] | null) => void = () => undefined;
    cache.connect({
      publish: (tags) => published.push(tags),
      publishOnCommit: () => Promise.resolve(),
      subscribe: (handler) => (receive = handler),
      flush: () => Promise.resolve(),
    });
    store.set(entryOf('/feed', 'page'));
    receive(['feed']);
    expect(store.get('/feed')).toBeUndefined();
    expect(published).toEqual([]);
    cache.invalidate(['post:1']);
    expect(published).toEqual([['post:1']]);
  });

  it('computes anew what is older than it may trust, and gives the old answer only when that fails', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/old', 'old', ['feed'], ago(6_000)));
    store.set(entryOf('/young', 'young'));
    const dropped: unknown[] = [];
    cache.onInvalidate((tags) => dropped.push(tags));
    cache.distrustBefore(ago(3_000));
    expect(dropped).toEqual([null]);
    const fails = () => Promise.reject(new Error('out of reach'));
    expect((await cache.fetch('/young', fails)).state).toBe('HIT');
    const bridged = await cache.fetch('/old', fails);
    expect([textOf(bridged), bridged.state]).toEqual(['old', 'ERROR']);
    const renewed = await cache.fetch('/old', async () => entryOf('/old', 'new'));
    expect([textOf(renewed), renewed.state]).toEqual(['new', 'MISS']);
  });

  it('drops with the commit of a transaction, and waits, where asked to, until the other processes have', async () => {
    const { cache, store } = setUp();
    const seen: string[] = [];
    let commit = (): void => undefined;
    let answer = (): void => undefined;
    cache.connect({
      publish: () => undefined,
      publishOnCommit: async (tags, _session, onCommit) => {
        seen.push(`wrote ${tags.join()}`);
        commit = onCommit;
      },
      subscribe: () => undefined,
      flush: () => new Promise<void>((resolve) => (answer = resolve)).then(() => seen.push('flushed')),
    });
    store.set(entryOf('/feed', 'page'));
    await cache.invalidateOnCommit(['feed'], {} as ClientSession);
    expect(store.get('/feed')).toBeDefined();
    commit();
    expect(store.get('/feed')).toBeUndefined();
    const settled = cache.settled().then(() => seen.push('settled'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['wrote feed']);
    answer();
    await settled;
    expect(seen).toEqual(['wrote feed', 'flushed', 'settled']);
  });

  it('drops everything after a gap, and what was being computed then is not kept', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'page'));
    const dropped: unknown[] = [];
    cache.onInvalidate((tags) => dropped.push(tags));
    let load = (_text: string): void => undefined;
    const late = cache.fetch('/posts/1', async () => {
      const text = await new Promise<string>((resolve) => (load = resolve));
      return entryOf('/posts/1', text);
    });
    await new Promise((resolve) => setImmediate(resolve));
    cache.drop(null);
    load('old');
    expect(textOf(await late)).toBe('old');
    expect([store.get('/feed'), store.get('/posts/1')]).toEqual([undefined, undefined]);
    expect(dropped).toEqual([null]);
  });
});
