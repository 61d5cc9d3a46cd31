import type { components } from './schema.js';

type MaybePromise<T> = T | Promise<T>;

/** Storage of tokens, for example `localStorage`. The methods may also be asynchronous. */
export interface TokenStorage {
  getItem: (key: string) => MaybePromise<string | null>;
  setItem: (key: string, value: string) => MaybePromise<void>;
  removeItem: (key: string) => MaybePromise<void>;
}

type SignedIn = components['schemas']['SignedIn'];
export type Account = SignedIn['user'];
/** Without an access token, the cookie has a session that this page has not used yet. */
export type Tokens = Partial<Pick<SignedIn, 'accessToken' | 'refreshToken'>>;

/** Tokens of one sign-in. Clients with the same storage and key share the tokens, also in other tabs. */
export class Session {
  #renewal: Promise<string | Response | undefined> | undefined;

  /**
   * @param refresh sends a refresh token to the server; without one, the cookie is used
   * @param changed called with the account after a sign-in or a refresh, and without after the end of the session
   */
  constructor(
    private readonly storage: TokenStorage,
    private readonly key: string,
    private readonly refresh: (refreshToken: string | undefined) => Promise<Response>,
    private readonly changed: (account?: Account) => void = () => undefined,
  ) {}

  async read(): Promise<Tokens | undefined> {
    const text = await this.storage.getItem(this.key);
    return text === null ? undefined : (JSON.parse(text) as Tokens);
  }

  async keep({ accessToken, refreshToken, user }: SignedIn): Promise<void> {
    await this.storage.setItem(this.key, JSON.stringify({ accessToken, refreshToken, account: user.id }));
    this.changed(user);
  }

  async end(): Promise<void> {
    await this.storage.removeItem(this.key);
    this.changed();
  }

  /**
   * Returns the access token that replaces a refused or missing one. Only one refresh runs at a time: concurrent callers share the refresh, and other
   * tabs wait for it where Web Locks exist.
   *
   * @returns undefined when the session has ended; the response when the server could not refresh now
   */
  renew(refused: string | undefined): Promise<string | Response | undefined> {
    this.#renewal ??= alone(this.key, () => this.#renew(refused)).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(refused: string | undefined): Promise<string | Response | undefined> {
    const before = await this.read();
    if (before === undefined || before.accessToken !== refused) return before?.accessToken;
    const response = await this.refresh(before.refreshToken);
    if (response.ok) {
      const tokens = (await response.json()) as SignedIn;
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

/**
 * Stores tokens as long as the page exists, and the id of their account, which is no secret, in a storage of all tabs. Tokens are valid
 * only with this id, so a sign-out in one tab signs out all of them.
 */
export class CookieStorage implements TokenStorage {
  readonly #memory = new MemoryStorage();

  constructor(private readonly shared: TokenStorage) {}

  async getItem(key: string): Promise<string | null> {
    const account = await this.shared.getItem(key);
    if (account === null) return null;
    const stored = this.#memory.getItem(key);
    return stored !== null && accountIn(stored) === account ? stored : '{}';
  }

  async setItem(key: string, value: string): Promise<void> {
    this.#memory.setItem(key, value);
    await this.shared.setItem(key, accountIn(value));
  }

  async removeItem(key: string): Promise<void> {
    this.#memory.removeItem(key);
    await this.shared.removeItem(key);
  }
}

function accountIn(text: string): string {
  return (JSON.parse(text) as { account: string }).account;
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
