import {
  DOCUMENT_KINDS,
  type DocumentKind,
  FIRST_STEP,
  IndexLost,
  type IndexState,
  type Position,
  type Scan,
  type StoredState,
} from '../search-index.js';
import { type OpenSearchClient, OpenSearchError } from './client.js';
import type { IndexNames } from './index-names.js';

export type State = {
  /** indexes behind the aliases; null before the first scan has ended */
  serving: number | null;
  /** indexes that a scan fills, which the aliases will name */
  building: number | null;
  position: Position | null;
  scan: Scan | null;
};
/** A state with its version in the index. */
export type Stored = { state: State; seqNo: number; term: number };

type Found = { _source: { json: string }; _seq_no: number; _primary_term: number };
type Stats = {
  _all: { primaries: { store?: { size_in_bytes: number } } };
  indices: Record<string, { primaries: { docs?: { count: number } } }>;
};

/** Stores the state of the writer in one document, which a write replaces only if no other has replaced it. */
export class StateStore {
  constructor(
    private readonly client: OpenSearchClient,
    private readonly names: IndexNames,
  ) {}

  /** Returns null if there is none. */
  async load(timeoutMs = 2_000): Promise<Stored | null> {
    try {
      const found = await this.client.send<Found>(`/${this.names.state}/_doc/state`, { timeoutMs });
      return { state: JSON.parse(found._source.json) as State, seqNo: found._seq_no, term: found._primary_term };
    } catch (error) {
      if (error instanceof OpenSearchError && error.status === 404) return null;
      throw error;
    }
  }

  /** @param stored version to replace; null: creates the first. @throws IndexLost if another process has replaced it */
  async save(state: State, stored: Stored | null): Promise<Stored> {
    const condition = stored === null ? 'op_type=create' : `if_seq_no=${stored.seqNo}&if_primary_term=${stored.term}`;
    try {
      const body = { json: JSON.stringify(state) };
      const path = `/${this.names.state}/_doc/state?${condition}`;
      const saved = await this.client.send<Found>(path, { method: 'PUT', body });
      return { state, seqNo: saved._seq_no, term: saved._primary_term };
    } catch (error) {
      if (error instanceof OpenSearchError && [404, 409].includes(error.status))
        throw new IndexLost('another process has changed the state of the index');
      throw error;
    }
  }

  /** The writer finds another version than its own when it saves its state, at most ten seconds later. */
  async requestRebuild(): Promise<void> {
    const stored = await this.load();
    if (stored !== null) await this.save({ ...stored.state, scan: { ...FIRST_STEP, done: 0 } }, stored);
  }

  /** Counts by statistics, because an index that has just been created is not searchable yet. */
  async describe({ state }: Stored): Promise<StoredState> {
    const { position, scan, serving, building } = state;
    const generation = serving ?? building;
    const { indices, _all } = await this.client.send<Stats>(`/${this.names.site}-*/_stats/docs,store`);
    const countOf = (kind: DocumentKind): number =>
      (generation !== null && indices[this.names.index(kind, generation)]?.primaries.docs?.count) || 0;
    return {
      ...{ isReady: serving !== null, position, scan },
      documents: Object.fromEntries(DOCUMENT_KINDS.map((kind) => [kind, countOf(kind)])) as IndexState['documents'],
      bytes: _all.primaries.store?.size_in_bytes ?? 0,
    };
  }
}
