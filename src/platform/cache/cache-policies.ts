import type { AppConfig } from '../../config/app-config.js';

/** How long one kind of answer may be used, in milliseconds. */
export type CachePolicy = {
  name: CachePolicyName;
  /** answered as it is */
  freshMs: number;
  /** after that: answered at once while one caller computes the next one */
  staleMs: number;
  /** after that: answered only when computing fails */
  staleIfErrorMs: number;
};

export type CachePolicyName = 'feed' | 'top-writers' | 'post' | 'comments' | 'profile';

/** How long "there is nothing here" may be repeated. */
export function negativeTtlMs(cache: AppConfig['cache']): number {
  return Math.min(5_000, cache.feedTtlMs);
}

/** The one table of lifetimes. Everything but the feed and top writers is invalidated by its tag, so its TTL only bounds counters' age. */
export function cachePolicies(cache: AppConfig['cache']): Record<CachePolicyName, CachePolicy> {
  const policy = (name: CachePolicyName, freshMs: number): CachePolicy => ({
    name,
    freshMs,
    staleMs: cache.staleMs,
    staleIfErrorMs: cache.staleIfErrorMs,
  });
  return {
    feed: policy('feed', cache.feedTtlMs),
    'top-writers': policy('top-writers', cache.topWritersTtlMs),
    post: policy('post', cache.feedTtlMs),
    comments: policy('comments', cache.feedTtlMs),
    profile: policy('profile', cache.feedTtlMs),
  };
}
