import type { KeyvStoreAdapter, StoredData } from 'keyv';
import type { RedisService } from '../redis/redis.service.js';

/** The values of cache-manager in Redis, as a store of Keyv. While Redis is down, it has none. */
export class RedisValues implements KeyvStoreAdapter {
  readonly opts = {};
  namespace?: string;

  constructor(private readonly redis: RedisService) {}

  async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    const text = await this.redis.run('value-read', (client) => client.get(key));
    // Keyv parses it.
    return (text ?? undefined) as StoredData<Value> | undefined;
  }

  async set(key: string, text: string, ttlMs: number): Promise<void> {
    await this.redis.run('value-write', (client) => client.set(key, text, 'PX', ttlMs));
  }

  async delete(key: string): Promise<boolean> {
    return (await this.redis.run('value-delete', (client) => client.del(key))) === 1;
  }

  /** Redis has no command for the keys of a prefix. Values expire. */
  clear(): Promise<void> {
    return Promise.reject(new Error('not supported'));
  }

  /** Reports no errors: RedisService logs them. */
  on(): this {
    return this;
  }
}
