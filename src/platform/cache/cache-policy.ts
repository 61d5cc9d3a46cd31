import type { AppConfig } from '../../config/app-config.js';

type CacheConfig = AppConfig['cache'];

/** How long one kind of answer may be used, in milliseconds. */
export type CachePolicy = {
  /** answered as it is */
  freshMs: number;
  /** after that: answered while one caller computes the next one */
  staleMs: number;
  /** after that: answered only when computing fails */
  staleIfErrorMs: number;
};

/** How long "there is nothing here" may be repeated. */
export function negativeTtlMs(cache: CacheConfig): number {
  return Math.min(5_000, cache.feedTtlMs);
}

/** @param freshMs the rule's own lifetime; what its tags invalidate needs none: the usual one bounds the age of its counters */
export function cachePolicy(cache: CacheConfig, freshMs = (config: CacheConfig) => config.feedTtlMs): CachePolicy {
  return { freshMs: freshMs(cache), staleMs: cache.staleMs, staleIfErrorMs: cache.staleIfErrorMs };
}
