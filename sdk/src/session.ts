import type { components } from './schema.js';

type MaybePromise<T> = T | Promise<T>;

/** Storage of tokens, for example `localStorage`. The methods may also be asynchronous. */
export interface TokenStorage {
  getItem: (key: string) => MaybePromise<string | null>;
  setItem: (key: string, value: string) => MaybePromise<void>;
  removeItem: (key: string) => MaybePromise<void>;
}

export type Tokens = Pick<components['schemas']['SignedIn'], 'accessToken' | 'refreshToken'>;

/** Tokens of one sign-in. Clients with the same storage and key share the tokens, also in other tabs. */
export class Session {
  #renewal: Promise<string | Response | undefined> | undefined;

  /** @param refresh sends a refresh token to the server */
  constructor(
    private readonly storage: TokenStorage,
    private readonly key: string,
    private readonly refresh: (refreshToken: string) => Promise<Response>,
  ) {}

  async read(): Promise<Tokens | undefined> {
    const text = await this.storage.getItem(this.key);
    return text === null ? undefined : (JSON.parse(text) as Tokens);
  }

  async keep({ accessToken, refreshToken }: Tokens): Promise<void> {
    await this.storage.setItem(this.key, JSON.stringify({ accessToken, refreshToken }));
  }

  async end(): Promise<void> {
    await this.storage.removeItem(this.key);
  }

  /**
   * Returns the access token that replaces a refused one. Only one refresh runs at a time: concurrent callers share the refresh, and other
   * tabs wait for it where Web Locks exist.
   *
   * @returns undefined when the session has ended; the response when the server could not refresh now
   */
  renew(refused: string): Promise<string | Response | undefined> {
    this.#renewal ??= alone(this.key, () => this.#renew(refused)).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(refused: string): Promise<string | Response | undefined> {
    const before = await this.read();
    if (before?.accessToken !== refused) return before?.accessToken;
    const response = await this.refresh(before.refreshToken);
    if (response.ok) {
      const tokens = (await response.json()) as Tokens;
      await this.keep(tokens);
      return tokens.accessToken;
    }
    if (response.status !== 401) return response;
    // Without Web Locks, another client may have used the refresh token first.
    const after = await this.read();
    if (after?.refreshToken !== before.refreshToken) return after?.accessToken;
    await this.end();
    return undefined;
  }
}

/** Stores tokens as long as the client exists. */
export class MemoryStorage implements TokenStorage {
  readonly #values = new Map<string, string>();

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#values.set(key, value);
  }

  removeItem(key: string): void {
    this.#values.delete(key);
  }
}

/** The used part of the browser's LockManager. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis as { navigator?: { locks?: Locks } };
  const locks = navigator?.locks;
  return locks === undefined ? work() : locks.request(name, work);
}
