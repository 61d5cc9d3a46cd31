import { setImmediate } from 'node:timers/promises';
import type { LeaseService } from '../../platform/mongo/lease.service.js';
import { loadCodec } from '../../rendering/body-codec.js';
import {
  type Changes,
  DOCUMENT_KINDS,
  type DocumentKind,
  type Documents,
  FIRST_STEP,
  IndexLocked,
  IndexLost,
  type IndexState,
  type IndexWriter,
  nextWalk,
  type Position,
  type Scan,
  type ScanStep,
  type Unreadable,
} from '../search-index.js';
import { INDEX_MISSING, type OpenSearchClient } from './client.js';
import type { IndexNames } from './index-names.js';
import { identityOf, indexOf, rowOf } from './mappings.js';
import type { State, StateStore, Stored } from './state-store.js';
import { WriterLease } from './writer-lease.js';

/** how often an idle index stores its position, and finds a requested rebuild */
const MOVE_EVERY_MS = 5_000;
const MAX_UNREADABLE = 1_000;
/** rows and characters of a bulk request; a row may be larger */
const MAX_BULK = { rows: 1_000, length: 8_000_000 };
const MAX_IDS = 10_000;

type Failure = { type: string; reason: string };
type Existing = { docs: { _id: string; found?: boolean; error?: Failure; _source?: { digest: string } }[] };
type BulkItem = { _id: string; status: number; result?: string; error?: Failure };

/**
 * Writes rows first and then its state, so that a position is stored only with the changes before it. During a rebuild, changes go to the
 * indexes that serve and to the new ones, which replace the others when the scan ends.
 */
export class OpenSearchWriter implements IndexWriter {
  private readonly lease: WriterLease;
  private stored: Stored | null = null;
  private movedAt = -Infinity;
  /** reasons by id */
  private unreadable = new Map<string, string>();

  constructor(
    private readonly client: OpenSearchClient,
    private readonly names: IndexNames,
    private readonly states: StateStore,
    leases: LeaseService,
  ) {
    this.lease = new WriterLease(leases, `search:${names.site}`);
  }

  async open(): Promise<IndexState> {
    await loadCodec();
    await this.lease.acquire(async () => (await this.states.load())?.state.position ?? null);
    this.stored = await this.states.load();
    if (this.stored === null) await this.begin(null);
    return this.state();
  }

  async reset(): Promise<IndexState> {
    await this.lease.keep();
    this.stored = await this.states.load();
    await this.begin({ ...FIRST_STEP, done: 0 });
    return this.state();
  }

  async apply(changes: Changes, position: Position | null): Promise<number> {
    const { serving, building } = await this.current();
    let changed = 0;
    for (const generation of [serving, building].filter((one) => one !== null)) {
      let own = 0;
      for (const kind of DOCUMENT_KINDS) {
        const { ids, documents } = changes[kind];
        own += await this.write(kind, generation, documents, without(ids, documents), true);
      }
      // Searches see the indexes that serve.
      if (generation === (serving ?? building)) changed = own;
    }
    if (position !== null) await this.moveTo(position);
    return changed;
  }

  async moveTo(position: Position): Promise<void> {
    await this.current();
    const now = performance.now();
    this.stored!.state.position = position;
    if (now - this.movedAt < MOVE_EVERY_MS) return;
    await this.save({});
    this.movedAt = now;
  }

  async startScan(position: Position): Promise<Scan> {
    const scan: Scan = { ...FIRST_STEP, done: 0 };
    await this.current();
    await this.save({ position, scan });
    return scan;
  }

  async applyScan(step: ScanStep): Promise<{ scan: Scan | null; changed: number }> {
    const { kind, after, upTo, documents } = step;
    const { serving, building, scan: last } = await this.current();
    const generation = (building ?? serving)!;
    const others = without(await this.idsOf(kind, generation, after, upTo), documents);
    const changed = await this.write(kind, generation, documents, others, false);
    const walk = nextWalk(step);
    const scan = walk === null ? null : { ...walk, done: (last?.done ?? 0) + documents.length };
    if (scan === null) await this.finishScan();
    await this.save({ scan });
    return { scan, changed };
  }

  async state(): Promise<IndexState> {
    await this.current();
    return this.states.describe(this.stored!);
  }

  async takeUnreadable(): Promise<Unreadable> {
    const taken = [...this.unreadable];
    this.unreadable = new Map();
    return taken;
  }

  async close(): Promise<void> {
    // The next writer continues here, without the changes of the last seconds.
    if (this.stored !== null) await this.save({}).catch(() => undefined);
    this.stored = null;
    await this.lease.release();
  }

  /** @throws IndexLocked, IndexLost */
  private async current(): Promise<State> {
    await this.lease.keep();
    if (this.stored === null) throw new IndexLost('the state of the index is not known');
    return this.stored.state;
  }

  private async save(change: Partial<State>): Promise<void> {
    this.stored = await this.states.save({ ...this.stored!.state, ...change }, this.stored);
  }

  /** Begins new indexes. Deletes those of an earlier build, or all if their state was lost. */
  private async begin(scan: Scan | null): Promise<void> {
    const { serving = null, building: abandoned = null } = this.stored?.state ?? {};
    if (this.stored === null) await this.removeAll();
    if (abandoned !== null) await this.remove(abandoned);
    const building = Math.max(serving ?? 0, abandoned ?? 0) + 1;
    // A killed process may have created them already.
    await this.remove(building);
    for (const kind of DOCUMENT_KINDS)
      await this.client.send(`/${this.names.index(kind, building)}`, { method: 'PUT', body: indexOf(kind) });
    this.stored = await this.states.save({ serving, building, position: null, scan }, this.stored);
  }

  private async removeAll(): Promise<void> {
    const patterns = DOCUMENT_KINDS.map((kind) => `${this.names.alias(kind)}-*`).join();
    const found = await this.client.send<{ index: string }[]>(`/_cat/indices/${patterns}?h=index&format=json`);
    for (const { index } of found) await this.client.send(`/${index}`, { method: 'DELETE' });
  }

  private async remove(generation: number): Promise<void> {
    const indexes = DOCUMENT_KINDS.map((kind) => this.names.index(kind, generation)).join();
    await this.client.send(`/${indexes}?ignore_unavailable=true`, { method: 'DELETE' });
  }

  /** Shows the rows of the scan. The new indexes of a rebuild replace the others at once. */
  private async finishScan(): Promise<void> {
    const { serving, building } = this.stored!.state;
    const shown = (building ?? serving)!;
    await this.client.send(`/${DOCUMENT_KINDS.map((kind) => this.names.index(kind, shown)).join()}/_refresh`, {
      method: 'POST',
    });
    if (building === null) return;
    const actions = DOCUMENT_KINDS.flatMap((kind) => {
      const alias = this.names.alias(kind);
      const add = { add: { index: this.names.index(kind, building), alias } };
      return serving === null ? [add] : [{ remove_index: { index: this.names.index(kind, serving) } }, add];
    });
    await this.client.send('/_aliases', { method: 'POST', body: { actions } });
    await this.save({ serving: building, building: null });
  }

  /** @returns the number of rows that changed */
  private async write(
    kind: DocumentKind,
    generation: number,
    documents: readonly Documents[DocumentKind][],
    others: readonly string[],
    isShown: boolean,
  ): Promise<number> {
    if (documents.length + others.length === 0) return 0;
    const index = this.names.index(kind, generation);
    const digests = await this.digestsOf(index, [...documents.map(({ id }) => id), ...others]);
    const version = this.lease.nextVersion();
    const options = { version, version_type: 'external_gte' };
    const deletion = (id: string): string[] =>
      digests.has(id) ? [JSON.stringify({ delete: { _id: id, ...options } })] : [];
    const rows: string[] = others.flatMap(deletion);
    for (const document of documents) {
      const { id } = document;
      if (identityOf(kind, document).digest === digests.get(id)) continue;
      try {
        const row = JSON.stringify(rowOf(kind, document));
        rows.push(`${JSON.stringify({ index: { _id: id, ...options } })}\n${row}`);
      } catch (error) {
        this.skip(id, (error as Error).message);
        rows.push(...deletion(id));
      }
      // A text takes a millisecond of this event loop.
      await setImmediate();
    }
    for (const body of bulksOf(rows)) await this.sendBulk(index, body, isShown);
    return rows.length;
  }

  private skip(id: string, reason: string): void {
    if (this.unreadable.size < MAX_UNREADABLE) this.unreadable.set(id, reason);
  }

  private async sendBulk(index: string, body: string[], isShown: boolean): Promise<void> {
    await this.lease.keep();
    const path = `/${index}/_bulk${isShown ? '?refresh=wait_for' : ''}`;
    const { items } = await this.client.send<{ items: Record<string, BulkItem>[] }>(path, { method: 'POST', body });
    for (const item of items) {
      const { _id, status, error } = Object.values(item)[0]!;
      if (status === 409) throw new IndexLocked('another host has written a later version');
      if (status === 400) this.skip(_id, error!.reason);
      else if (error !== undefined) throw new Error(`OpenSearch refused a row: ${error.type}: ${error.reason}`);
    }
  }

  /** Returns the digests of the rows that exist, also of those that searches do not see yet. */
  private async digestsOf(index: string, ids: string[]): Promise<Map<string, string>> {
    const body = { docs: ids.map((_id) => ({ _id, _source: ['digest'] })) };
    const { docs } = await this.client.send<Existing>(`/${index}/_mget`, { method: 'POST', body });
    for (const { error } of docs) {
      if (error?.type === INDEX_MISSING) throw new IndexLost(`there is no index ${index}`);
      // A shard may be unavailable for some seconds.
      if (error !== undefined) throw new Error(`OpenSearch did not read a row: ${error.type}: ${error.reason}`);
    }
    return new Map(docs.flatMap(({ _id, found, _source }) => (found ? [[_id, _source!.digest] as const] : [])));
  }

  /** Returns the ids of the rows in a range. */
  private async idsOf(
    kind: DocumentKind,
    generation: number,
    after: string | null,
    upTo: string | null,
  ): Promise<string[]> {
    const ids: string[] = [];
    for (let from = after ?? ''; ;) {
      const range = { id: { gt: from, lte: upTo ?? '~' } };
      const body = { size: MAX_IDS, query: { range }, sort: [{ id: 'asc' }], _source: false, track_total_hits: false };
      const path = `/${this.names.index(kind, generation)}/_search?allow_partial_search_results=false`;
      const { hits } = await this.client.send<{ hits: { hits: { sort: [string] }[] } }>(path, { method: 'POST', body });
      ids.push(...hits.hits.map(({ sort }) => sort[0]));
      if (hits.hits.length < MAX_IDS) return ids;
      from = ids.at(-1)!;
    }
  }
}

function bulksOf(rows: string[]): string[][] {
  const bulks: string[][] = [];
  let length = Infinity;
  for (const row of rows) {
    if (length + row.length > MAX_BULK.length || bulks.at(-1)!.length >= MAX_BULK.rows) {
      bulks.push([]);
      length = 0;
    }
    bulks.at(-1)!.push(row);
    length += row.length;
  }
  return bulks;
}

function without(ids: readonly string[], documents: readonly { id: string }[]): string[] {
  const there = new Set(documents.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
