import type { KeyvStoreAdapter, StoredData } from 'keyv';
import type { CacheEntry } from './cache-entry.js';
import type { EntryStore } from './entry-store.js';

/** The EntryStore as a Keyv store, the first layer of cache-manager. Entries go in as they are, unserialised. */
export class EntryStoreAdapter implements KeyvStoreAdapter {
  readonly opts = { dialect: 'entry-store' };

  constructor(private readonly store: EntryStore) {}

  async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    const value = this.store.get(key);
    if (value === undefined) return undefined;
    // Keyv goes by the time of day
    return { value, expires: Date.now() + value.errorUntil - performance.now() } as StoredData<Value>;
  }

  set(_key: string, wrapped: { value: CacheEntry }): boolean {
    this.store.set(wrapped.value);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return this.store.delete(key);
  }

  async clear(): Promise<void> {
    this.store.clear();
  }

  on(): this {
    return this;
  }
}
