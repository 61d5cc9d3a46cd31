import { CacheModule as NestCacheModule } from '@nestjs/cache-manager';
import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { Keyv } from 'keyv';
import { AppConfig } from '../../config/app-config.js';
import { fullVersion } from '../../config/package-version.js';
import { secretFingerprint } from '../../config/token-secrets.js';
import { AccessTokenService } from '../access/access-token.service.js';
import { TRUST_MS } from '../events/event.schema.js';
import { EventsModule } from '../events/events.module.js';
import { StreamTrust } from '../events/stream-trust.js';
import { RequestLog } from '../http/request-log.js';
import { exportCounter, exportGauge } from '../prometheus/metric.js';
import { RedisModule } from '../redis/redis.module.js';
import { RedisService } from '../redis/redis.service.js';
import { CachedResponseListener, LoggedCachedResponseListener } from './cached-response.listener.js';
import { EntryStore } from './entry-store.js';
import { InternalReads } from './internal-reads.js';
import { InvalidationChannel } from './invalidation-channel.js';
import { ListFilterPort } from './list-filter-port.js';
import { RedisValues } from './redis-values.js';
import { ResponseCache } from './response-cache.js';
import { SecondLevelCache } from './second-level-cache.js';
import { EntryWriter } from './entry-writer.js';

/**
 * The response cache. `ResponseCacheInterceptor` fills it and `CachedResponseListener` serves hits before the framework. Computed values
 * that are kept for a time are in cache-manager (CACHE_MANAGER), which has no synchronous lookup and no tags, so responses do not use it.
 */
@Global()
@Module({
  imports: [
    NestCacheModule.registerAsync({
      isGlobal: true,
      imports: [RedisModule],
      inject: [RedisService, AppConfig],
      useFactory: (redis: RedisService, config: AppConfig) => {
        const shared = new Keyv({ store: new RedisValues(redis), namespace: 'values' });
        // While Redis is down, values stay in memory.
        return { stores: config.redis.url === undefined ? [new Keyv()] : [new Keyv(), shared] };
      },
    }),
    RedisModule,
    EventsModule,
  ],
  providers: [
    InvalidationChannel,
    ListFilterPort,
    {
      provide: EntryStore,
      useFactory: (config: AppConfig) => new EntryStore(config.cache.maxBytes),
      inject: [AppConfig],
    },
    {
      provide: ResponseCache,
      useFactory: (
        store: EntryStore,
        channel: InvalidationChannel,
        redis: RedisService,
        { cache: { feedTtlMs, isShared }, auth }: AppConfig,
      ) => {
        const secondLevel = isShared ? new SecondLevelCache(redis, groupOf(auth.tokenSecrets[0])) : undefined;
        const cache = new ResponseCache(store, Math.min(TRUST_MS, feedTtlMs), secondLevel);
        cache.connect(channel);
        return cache;
      },
      inject: [EntryStore, InvalidationChannel, RedisService, AppConfig],
    },
    EntryWriter,
    {
      provide: CachedResponseListener,
      useFactory: (config: AppConfig, ...parts: ConstructorParameters<typeof CachedResponseListener>) =>
        config.requestLog.share === 0
          ? new CachedResponseListener(...parts)
          : new LoggedCachedResponseListener(new RequestLog(config), ...parts),
      inject: [AppConfig, ResponseCache, EntryWriter, AccessTokenService, ListFilterPort],
    },
    InternalReads,
  ],
  exports: [ResponseCache, CachedResponseListener, EntryWriter, InternalReads, ListFilterPort],
})
export class CacheModule implements OnModuleInit {
  constructor(
    private readonly listener: CachedResponseListener,
    private readonly writer: EntryWriter,
    private readonly cache: ResponseCache,
    private readonly trust: StreamTrust,
  ) {}

  onModuleInit(): void {
    const { listener, writer, cache } = this;
    this.trust.keep(cache.store);
    exportCounter({
      name: 'opencanvas_cache_hits_total',
      help: 'Requests served by the raw listener, by route',
      labelNames: ['route'],
      read: () => [...listener.hitsByRoute].map(([route, hits]) => [{ route }, hits]),
    });
    exportCounter({
      name: 'opencanvas_cache_hit_states_total',
      help: 'Responses of the raw listener: hits, stale, staleOnError (a stale response instead of a 503), notModified (counted as one of these, too)',
      labelNames: ['state'],
      read: () => byState({ ...listener.counts, ...writer.counts }),
    });
    exportCounter({
      name: 'opencanvas_cache_total',
      help: 'Response cache behind the raw listener: responses by state, and other events',
      labelNames: ['state'],
      read: () => byState(cache.counts).map(([{ state }, count]) => [{ state: state.toLowerCase() }, count]),
    });
    exportGauge({ name: 'opencanvas_cache_entries', help: 'Cached responses', read: () => cache.store.size });
    exportGauge({ name: 'opencanvas_cache_bytes', help: 'Bytes of cached responses', read: () => cache.store.bytes });
  }
}

function byState(counts: Record<string, number>): [{ state: string }, number][] {
  return Object.entries(counts).map(([state, count]) => [{ state }, count]);
}

/** Separates versions, whose formats may differ, and secrets, because the server rejects cursors signed with another secret. */
function groupOf(secret: string): string {
  return `${fullVersion()}:${secretFingerprint(secret)}`;
}
