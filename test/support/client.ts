export interface RequestOptions {
  /** Sent as JSON; a string or bytes are sent unchanged. */
  body?: unknown;
  /** an access token */
  token?: string;
  headers?: Record<string, string>;
}

export interface Answer<T = any> {
  status: number;
  headers: Headers;
  /** Parsed if the response is JSON, otherwise text. */
  body: T;
}

type Send = <T = any>(path: string, options?: RequestOptions) => Promise<Answer<T>>;

export interface TestClient {
  request<T = any>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>;
  get: Send;
  post: Send;
  put: Send;
  patch: Send;
  delete: Send;
}

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Creates an HTTP client. Paths begin with /v1 (or with / for routes without a version). The client does not follow redirects, and
 * closes a stream of events at once.
 * @param afterWrite awaited after the response to a write, with its headers, before the response is returned
 */
export function createClient(url: string, afterWrite?: (headers: Headers) => Promise<unknown>): TestClient {
  const request: TestClient['request'] = async (method, path, { body, token, headers = {} } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body === undefined ? undefined : isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    if (!READS.includes(method)) await afterWrite?.(response.headers);
    const isJson = /^application\/(?:[a-z]+\+)?json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  };
  return clientOf(request);
}

/** Returns a client that sends its requests with this function. */
export function clientOf(request: TestClient['request']): TestClient {
  const verb =
    (method: string): Send =>
    (path, options) =>
      request(method, path, options);
  return {
    request,
    get: verb('GET'),
    post: verb('POST'),
    put: verb('PUT'),
    patch: verb('PATCH'),
    delete: verb('DELETE'),
  };
}
