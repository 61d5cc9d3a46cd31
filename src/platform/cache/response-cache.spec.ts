import { jest } from '@jest/globals';
import { idle, msOf, useFakeTime } from '../../../test/support/fake-time.js';
import { CodedError } from '../../common/errors.js';
import { CacheEntry } from './cache-entry.js';
import { EntryStore } from './entry-store.js';
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
  return { store, cache: new ResponseCache(store) };
}

type Finish = (entry: CacheEntry) => void;
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

  it('serves the stale response without waiting, and computes the next one once', async () => {
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

  it('bridges a failing computation with the last response, but not a refusal', async () => {
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

  it('never serves a response on failure that was invalidated while the computation hung', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'with the deleted post', ['feed'], ago(30_000)));
    let finish: (entry: CacheEntry) => void = () => undefined;
    const pending = cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    cache.invalidateOnHost(['feed']);
    setTimeout(() => finish(entryOf('/feed', 'without')), 1_200);
    expect(textOf(await pending)).toBe('without');
  });

  it('never stores a response computed before an invalidation', async () => {
    const { cache, store } = setUp();
    let finish: (entry: CacheEntry) => void = () => undefined;
    const pending = cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    cache.invalidateOnHost(['feed']);
    finish(entryOf('/feed', 'with the deleted post'));
    expect(textOf(await pending)).toBe('with the deleted post'); // The fetch started before the deletion.
    expect(store.get('/feed')).toBeUndefined();
    expect(textOf(await cache.fetch('/feed', async () => entryOf('/feed', 'without')))).toBe('without');
  });

  it.each([
    ['gives', (finish: Finish) => finish(entryOf('/feed', 'before'))],
    ['refuses', (_: Finish, fail: (error: Error) => void) => fail(new CodedError('post_not_found', 'before'))],
  ])('computes again, once, for callers after the invalidation of what a computation %s', async (_, end) => {
    const { cache } = setUp();
    let finish: Finish = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const before = cache.fetch('/feed', () => new Promise((resolve, reject) => ([finish, fail] = [resolve, reject])));
    await new Promise((resolve) => setTimeout(resolve, 5));
    cache.invalidateOnHost(['feed']);
    let loads = 0;
    const load = async (): Promise<CacheEntry> => entryOf('/feed', `after ${++loads}`);
    const after = Promise.all([1, 2, 3].map(() => cache.fetch('/feed', load)));
    end(finish, fail);
    await before.catch(() => undefined);
    expect((await after).map(textOf)).toEqual(['after 1', 'after 1', 'after 1']);
    expect(textOf(await cache.fetch('/feed', load))).toBe('after 1');
  });

  it('keeps a running computation whose tags were not invalidated, for all callers', async () => {
    const { cache } = setUp();
    let finish: Finish = () => undefined;
    let loads = 0;
    const load = (): Promise<CacheEntry> => {
      loads++;
      return new Promise((resolve) => (finish = resolve));
    };
    const asked = [cache.fetch('/rss', load)];
    for (let times = 0; times < 5; times++) {
      await new Promise((resolve) => setImmediate(resolve));
      cache.invalidateOnHost(['post:1']);
      asked.push(cache.fetch('/rss', load));
    }
    finish(entryOf('/rss', 'page', ['post:2']));
    expect((await Promise.all(asked)).map(textOf)).toEqual(asked.map(() => 'page'));
    expect(loads).toBe(1);
  });

  it('caches a 404 until anything changes', async () => {
    const { cache } = setUp();
    let loads = 0;
    const load = (): Promise<CacheEntry> => {
      loads++;
      return Promise.reject(new CodedError('post_not_found', 'gone'));
    };
    for (let count = 0; count < 3; count++)
      await expect(cache.fetch('/posts/1', load)).rejects.toMatchObject({ code: 'post_not_found' });
    expect(loads).toBe(1);
    cache.invalidateOnHost(['post:1']);
    expect(textOf(await cache.fetch('/posts/1', async () => entryOf('/posts/1', 'published')))).toBe('published');
  });

  it('applies invalidations of other processes without sending them again', async () => {
    const { cache, store } = setUp();
    const published: string[][] = [];
    let receive: (tags: string[] | null) => void = () => undefined;
    cache.connect({
      publish: (tags) => published.push(tags),
      subscribe: (handler) => (receive = handler),
    });
    store.set(entryOf('/feed', 'page'));
    receive(['feed']);
    expect(store.get('/feed')).toBeUndefined();
    expect(published).toEqual([]);
    cache.invalidateOnHost(['post:1']);
    expect(published).toEqual([['post:1']]);
  });

  it('recomputes an entry after a possible missed invalidation, and serves it on failure', async () => {
    const { cache, store } = setUp();
    store.trustedUntil = ago(1);
    store.set(entryOf('/old', 'old', ['feed'], ago(6_000)));
    store.set(entryOf('/young', 'young'));
    const fails = () => Promise.reject(new Error('out of reach'));
    expect((await cache.fetch('/young', fails)).state).toBe('HIT');
    const bridged = await cache.fetch('/old', fails);
    expect([textOf(bridged), bridged.state]).toEqual(['old', 'ERROR']);
    const renewed = await cache.fetch('/old', async () => entryOf('/old', 'new'));
    expect([textOf(renewed), renewed.state]).toEqual(['new', 'MISS']);
  });

  it('drops everything after a gap, and does not store responses computed during it', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'page'));
    let load = (_text: string): void => undefined;
    const late = cache.fetch('/posts/1', async () => {
      const text = await new Promise<string>((resolve) => (load = resolve));
      return entryOf('/posts/1', text);
    });
    await new Promise((resolve) => setImmediate(resolve));
    cache.invalidateLocally(null);
    load('old');
    expect(textOf(await late)).toBe('old');
    expect([store.get('/feed'), store.get('/posts/1')]).toEqual([undefined, undefined]);
  });
});

describe('ResponseCache and a computation that hangs', () => {
  useFakeTime();

  it('serves the last response after a second, then at once, and stores the new one', async () => {
    const { cache, store } = setUp();
    store.set(entryOf('/feed', 'old', ['feed'], ago(30_000)));
    let finish: (entry: CacheEntry) => void = () => undefined;
    const fetchFeed = async () => {
      const looked = await cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
      return `${looked.state} ${textOf(looked)}`;
    };

    const [first, joined] = [fetchFeed(), fetchFeed()];
    expect(await msOf(Promise.all([first, joined]))).toBe(1_000);
    expect([await first, await joined]).toEqual(['ERROR old', 'ERROR old']);
    const next = fetchFeed();
    // Timers take at least 1 ms.
    expect(await msOf(next)).toBe(1);
    expect(await next).toBe('ERROR old');

    finish(entryOf('/feed', 'new'));
    await idle();
    expect(await fetchFeed()).toBe('HIT new');
  });

  it('is not shared with later callers when too much may have changed since it began', async () => {
    const { cache, store } = setUp();
    let finish: Finish = () => undefined;
    const before = cache.fetch('/feed', () => new Promise((resolve) => (finish = resolve)));
    store.trustedUntil = ago(0);
    await idle();
    jest.advanceTimersByTime(1_500);
    const after = cache.fetch('/feed', async () => entryOf('/feed', 'new'));

    finish(entryOf('/feed', 'old'));

    expect([textOf(await before), textOf(await after)]).toEqual(['old', 'new']);
  });
});
