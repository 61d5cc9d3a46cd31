import type { LeaseService } from '../../platform/mongo/lease.service.js';
import { type IndexWriter, SearchEngine, type StoredState } from '../search-index.js';
import { OpenSearchClient } from './client.js';
import { IndexNames } from './index-names.js';
import { OpenSearchReader } from './opensearch-reader.js';
import { OpenSearchWriter } from './opensearch-writer.js';
import { StateStore } from './state-store.js';

/** Indexes in a cluster of OpenSearch, which one process of all hosts writes under a lease. */
export class OpenSearchEngine extends SearchEngine {
  readonly isShared = true;
  readonly reader: OpenSearchReader;
  private readonly client: OpenSearchClient;
  private readonly names: IndexNames;
  private readonly states: StateStore;

  constructor(
    { url, prefix, hasComments }: { url: string; prefix: string; hasComments: boolean },
    private readonly leases: LeaseService,
  ) {
    super();
    this.client = new OpenSearchClient(url);
    this.names = new IndexNames(prefix, hasComments);
    this.states = new StateStore(this.client, this.names);
    this.reader = new OpenSearchReader(this.client, this.names);
  }

  createWriter(): IndexWriter {
    return new OpenSearchWriter(this.client, this.names, this.states, this.leases);
  }

  async readState(): Promise<StoredState | null> {
    const stored = await this.states.load();
    return stored === null ? null : this.states.describe(stored);
  }

  requestRebuild(): Promise<void> {
    return this.states.requestRebuild();
  }
}
