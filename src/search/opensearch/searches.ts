import { type OpenSearchClient, OpenSearchError } from './client.js';
import type { Query } from './queries.js';

export type Search = { index: string; body: Query };
export type Hit = { _score: number | null; _source?: unknown; fields?: Record<string, unknown[]> };
export type Result = {
  hits: { hits: Hit[]; total?: { value: number } };
  aggregations?: Record<string, { buckets: { key: string; doc_count: number }[] }>;
  suggest?: Record<string, { options: { text: string }[] }[]>;
};
type Response = Result & { status: number; error?: { type: string; reason: string } };

/** The searches of one query, which end with its signal. */
export class Searches {
  constructor(
    private readonly client: OpenSearchClient,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends the searches in one request. @throws OpenSearchError if any fails */
  async send(searches: Search[]): Promise<Result[]> {
    if (searches.length === 0) return [];
    // The default is a part of the rows while a shard is unavailable.
    const header = { allow_partial_search_results: false };
    const body = searches.flatMap(({ index, body: own }) => [
      JSON.stringify({ index, ...header }),
      JSON.stringify(own),
    ]);
    const { responses } = await this.client.send<{ responses: Response[] }>('/_msearch', {
      method: 'POST',
      body,
      signal: this.signal,
    });
    for (const { status, error } of responses)
      if (error !== undefined) throw new OpenSearchError(status, error.type, error.reason);
    return responses;
  }

  /** As `send`. @returns a result at the place of each search, undefined for false */
  async sendEach(searches: (Search | false)[]): Promise<(Result | undefined)[]> {
    const results = await this.send(searches.filter((search) => search !== false));
    return searches.map((search) => (search === false ? undefined : results.shift()));
  }
}
