import { CircuitBreaker } from './circuit-breaker.js';

/** type of an error */
export const INDEX_MISSING = 'index_not_found_exception';

/** A response with an error status. */
export class OpenSearchError extends Error {
  override readonly name = 'OpenSearchError';

  constructor(
    readonly status: number,
    /** such as `index_not_found_exception` */
    readonly type: string,
    reason: string,
  ) {
    super(`OpenSearch: ${status} ${type}: ${reason}`);
  }

  get isMissingIndex(): boolean {
    return this.type === INDEX_MISSING;
  }
}

export type Request = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** an array is sent as lines of JSON */
  body?: object | string[];
  timeoutMs?: number;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 20_000;
/** of an error whose body is not JSON */
const UNKNOWN = { type: 'unknown', reason: 'no reason' };

/** Sends requests over the connections that `fetch` keeps open. A request that is aborted ends its work in OpenSearch. */
export class OpenSearchClient {
  readonly breaker = new CircuitBreaker();
  private readonly origin: string;
  private readonly headers: Record<string, string>;

  /** @param address with user and password, and a path behind a proxy */
  constructor(address: string) {
    const { username, password, origin, pathname } = new URL(address);
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.origin = origin + pathname.replace(/\/$/, '');
    this.headers = username === '' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  }

  /** @throws OpenSearchError, or the error of `fetch` without a response in time */
  async send<T>(path: string, { method = 'GET', body, timeoutMs = TIMEOUT_MS, signal }: Request = {}): Promise<T> {
    const isLines = Array.isArray(body);
    const type = isLines ? 'application/x-ndjson' : 'application/json';
    const response = await fetch(this.origin + path, {
      method,
      redirect: 'error',
      headers: { ...this.headers, ...(body !== undefined && { 'content-type': type }) },
      body: isLines ? `${body.join('\n')}\n` : body && JSON.stringify(body),
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    const { type: kind, reason } = errorOf(text);
    throw new OpenSearchError(response.status, kind, reason);
  }
}

function errorOf(text: string): { type: string; reason: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { type: string; reason: string } | string };
    return typeof error === 'object' ? error : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}
