import createFetchClient, { type Client } from 'openapi-fetch';
import { type ListInit, type ListPath, type PagedPath, type Page, pagesOf, type Row } from './pages.js';
import { type Progress, withProgress } from './progress.js';
import { type Fetch, type Retries, sendWithRetries, sleep } from './retries.js';
import type { paths } from './schema.js';
import { unwrap } from './problem.js';
import { Sender } from './sender.js';
import { type Account, CookieStorage, MemoryStorage, Session, type TokenStorage } from './session.js';
import { eventsOf, type NotificationEvent, type StreamOptions } from './stream.js';

export interface ClientOptions extends Partial<Retries> {
  /** URL of the server, without `/v1`. */
  baseUrl: string;
  /** Storage of the tokens of a sign-in; default: memory. */
  storage?: TokenStorage;
  /**
   * For a page of the server itself: the refresh token is in a cookie that scripts cannot read, the access token in memory. `storage`
   * (default: localStorage) then has the id of the signed-in account only.
   */
  cookie?: boolean;
  /** Called with the account after a sign-in or a refresh, and without when the session has ended, with `cookie` also in another tab. */
  onAccount?: (account?: Account) => void;
  /** Item of the storage; default: one for each `baseUrl`. */
  storageKey?: string;
  /** An API token, for a program without a sign-in. */
  apiToken?: string;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
}

/** The used part of a browser's window. */
const tabs = globalThis as unknown as {
  localStorage: TokenStorage;
  addEventListener: (
    type: 'storage',
    listener: (event: { key: string | null; newValue: string | null }) => void,
  ) => void;
};

/** The body of a request that uses the cookie in place of a refresh token. */
const COOKIE = { cookie: true };

export interface UploadOptions {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

/**
 * Has every operation of docs/openapi.json by its method and path, like openapi-fetch: `{ data, error, response }`, where `error` is the
 * union of the problems of that operation. A POST that returns tokens signs this client in.
 */
export class OpenCanvas {
  readonly GET: Client<paths>['GET'];
  readonly PUT: Client<paths>['PUT'];
  readonly POST: Client<paths>['POST'];
  readonly PATCH: Client<paths>['PATCH'];
  readonly DELETE: Client<paths>['DELETE'];
  readonly #session: Session;
  readonly #fetch: Fetch;
  readonly #sleep: Retries['sleep'];

  constructor(options: ClientOptions) {
    // A method of another object may not be called as `fetch`.
    const { baseUrl, fetch = (request) => globalThis.fetch(request), storageKey = `opencanvas:${baseUrl}` } = options;
    const { maxWaitMs = 60_000 } = options;
    const retries = { retries: options.retries ?? 4, sleep: options.sleep ?? sleep, maxWaitMs };
    const refresh = (refreshToken: string | undefined): Promise<Response> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(refreshToken ? { refreshToken } : COOKIE) };
      // A repeat within 30 s returns the same next token.
      return sendWithRetries(new Request(`${baseUrl}/v1/auth/refresh`, init), fetch, true, retries);
    };
    this.#fetch = fetch;
    this.#sleep = retries.sleep;
    const { cookie: hasCookie = false, onAccount } = options;
    const storage = options.storage ?? (hasCookie ? tabs.localStorage : new MemoryStorage());
    this.#session = new Session(hasCookie ? new CookieStorage(storage) : storage, storageKey, refresh, onAccount);
    if (hasCookie && onAccount !== undefined)
      tabs.addEventListener('storage', ({ key, newValue }) => {
        if (key === storageKey && newValue === null) onAccount();
        else if (key === storageKey) void this.resume();
      });
    const sender = new Sender(this.#session, options.apiToken, retries, hasCookie);
    const client = createFetchClient<paths>({ baseUrl, fetch });
    client.use({ onRequest: ({ request, schemaPath, options: own }) => sender.send(request, schemaPath, own.fetch) });
    this.GET = client.GET;
    this.PUT = client.PUT;
    this.POST = client.POST;
    this.PATCH = client.PATCH;
    this.DELETE = client.DELETE;
  }

  /**
   * With `cookie`: gets an access token by the cookie, if this browser has signed in, and calls `onAccount`. The first request does the
   * same. @returns whether the client is signed in
   */
  async resume(): Promise<boolean> {
    const tokens = await this.#session.read();
    return tokens !== undefined && (tokens.accessToken ?? (await this.#session.renew(undefined))) !== undefined;
  }

  /** Returns whether tokens are stored. The server may have revoked the session. */
  async isSignedIn(): Promise<boolean> {
    return (await this.#session.read()) !== undefined;
  }

  /** Deletes the stored tokens, then revokes the session on the server. */
  async signOut(): Promise<void> {
    const tokens = await this.#session.read();
    await this.#session.end();
    if (tokens === undefined) return;
    const { refreshToken } = tokens;
    await this.POST('/v1/auth/logout', { body: refreshToken ? { refreshToken } : COOKIE });
  }

  /** Yields all rows of a list, page by page. @throws ApiError */
  async *list<P extends ListPath>(path: P, ...init: ListInit<P>): AsyncGenerator<Row<P>, void, undefined> {
    const pages = this.pages(path, ...init) as AsyncGenerator<{ data: Row<P>[] }>;
    for await (const { data } of pages) yield* data;
  }

  /** Yields all pages of a list or of a search. @throws ApiError */
  pages<P extends PagedPath>(path: P, ...init: ListInit<P>): AsyncGenerator<Page<P>, void, undefined> {
    return pagesOf(this.GET as never, path, init[0]) as AsyncGenerator<Page<P>, void, undefined>;
  }

  /**
   * Streams my notifications and reconnects when a connection ends. Break out of the loop, or abort, to close the stream. An event may
   * arrive twice. A `notification` replaces one with the same id, and after `reset` a client must read the list again.
   * @throws ApiError when the server refuses the stream, for example after the end of the session
   */
  stream(options: StreamOptions = {}): AsyncGenerator<NotificationEvent, void, undefined> {
    const { signal } = options;
    const open = async (id: string | undefined): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => {
      const params = { header: { ...(id !== undefined && { 'Last-Event-ID': id }) } };
      const request = { params, parseAs: 'stream', ...(signal && { signal }) } as const;
      return (await unwrap(this.GET('/v1/notifications/stream', request)))!;
    };
    return eventsOf(open, this.#sleep, options);
  }

  /** Uploads an image. The client does not retry after a broken connection. The same bytes give the same image. */
  upload(file: Blob, { onProgress, signal }: UploadOptions = {}) {
    return this.POST('/v1/media', {
      body: { file },
      bodySerializer: formOf,
      ...(onProgress && { fetch: withProgress(this.#fetch, onProgress) }),
      ...(signal && { signal }),
    });
  }
}

export function formOf({ file }: { file: Blob }): FormData {
  const form = new FormData();
  form.set('file', file);
  return form;
}
