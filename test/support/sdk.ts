/** Storage item of an SDK client. */
export const KEY = 'tokens';

/** Returns storage like `localStorage`. */
export function storageOf() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    /** Makes the server refuse the access token. */
    expire: () => values.set(KEY, JSON.stringify({ ...JSON.parse(values.get(KEY)!), accessToken: 'a.b.c' })),
  };
}

/** Runs without `navigator.locks`, as in Node 20 and in pages without HTTPS. */
export async function withoutLocks<T>(work: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: undefined });
  try {
    return await work();
  } finally {
    if (own === undefined) Reflect.deleteProperty(globalThis, 'navigator');
    else Object.defineProperty(globalThis, 'navigator', own);
  }
}

/** Returns a problem that replaces a response of the server. */
export function refusal(status: number, code: string, retryAfter?: number): Response {
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  return Response.json({ code, status, detail: 'refused' }, { status, headers });
}
