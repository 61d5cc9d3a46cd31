import { CACHE_MANAGER, CacheModule as NestCacheModule } from '@nestjs/cache-manager';
import { Global, Module, type OnModuleInit } from '@nestjs/common';
import type { Cache } from 'cache-manager';
import { Keyv } from 'keyv';
import { AppConfig } from '../../config/app-config.js';
import { exportCacheMetrics } from './cache-metrics.js';
import { negativeTtlMs } from './cache-policy.js';
import { CachedResponseListener } from './cached-response.listener.js';
import { EntryStore } from './entry-store.js';
import { EntryStoreAdapter } from './entry-store.adapter.js';
import { InvalidationChannel } from './invalidation-channel.js';
import { ResponseCache } from './response-cache.js';
import { EntryWriter } from './entry-writer.js';

@Global()
@Module({
  providers: [
    {
      provide: EntryStore,
      useFactory: (config: AppConfig) => new EntryStore(config.cache.maxBytes),
      inject: [AppConfig],
    },
  ],
  exports: [EntryStore],
})
class EntryStoreModule {}

/**
 * The response cache: ready bytes by canonical key, shared by feed, posts, comments, profiles and top writers.
 * cache-manager is its store interface (first layer: this process's EntryStore), the interceptor its front,
 * `CachedResponseListener` its fast path on the raw listener.
 */
@Global()
@Module({
  imports: [
    EntryStoreModule,
    NestCacheModule.registerAsync({
      isGlobal: true,
      inject: [EntryStore],
      useFactory: (store: EntryStore) => ({
        stores: [
          new Keyv({
            store: new EntryStoreAdapter(store),
            serialize: undefined,
            deserialize: undefined,
            useKeyPrefix: false,
          }),
        ],
      }),
    }),
  ],
  providers: [
    InvalidationChannel,
    {
      provide: ResponseCache,
      useFactory: (store: EntryStore, cacheManager: Cache, channel: InvalidationChannel, config: AppConfig) => {
        const cache = new ResponseCache(store, cacheManager, negativeTtlMs(config.cache));
        cache.connect(channel);
        return cache;
      },
      inject: [EntryStore, CACHE_MANAGER, InvalidationChannel, AppConfig],
    },
    EntryWriter,
    CachedResponseListener,
  ],
  exports: [ResponseCache, CachedResponseListener, EntryWriter],
})
export class CacheModule implements OnModuleInit {
  constructor(
    private readonly listener: CachedResponseListener,
    private readonly writer: EntryWriter,
    private readonly cache: ResponseCache,
  ) {}

  onModuleInit(): void {
    exportCacheMetrics(this.listener, this.writer, this.cache);
  }
}
