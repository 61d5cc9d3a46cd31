import { type Problem, withProblem } from './problem.js';
import { type Fetch, type Retries, sendWithRetries } from './retries.js';
import type { components, paths } from './schema.js';
import type { Session } from './session.js';

type HeadersOf<T> = T extends { post: { parameters: { header?: infer H } } } ? NonNullable<H> : never;
type KeyedPath = {
  [P in keyof paths]: [HeadersOf<paths[P]>] extends [never]
    ? never
    : 'Idempotency-Key' extends keyof HeadersOf<paths[P]>
      ? P
      : never;
}[keyof paths];

type SignedIn = components['schemas']['SignedIn'];
type HasTokens = { content: { 'application/json': SignedIn } };
type TokenPath = {
  [P in keyof paths]: paths[P] extends { post: { responses: { 200: HasTokens } | { 201: HasTokens } } } ? P : never;
}[keyof paths];

/** POST operations with an `Idempotency-Key`. The compiler compares both lists with the document. */
const KEYED: Record<KeyedPath, true> = {
  '/v1/posts': true,
  '/v1/posts/{id}/events': true,
  '/v1/posts/{id}/comments': true,
  '/v1/collections': true,
  '/v1/moderation/actions': true,
  '/v1/drafts': true,
  '/v1/drafts/{id}/publish': true,
  '/v1/drafts/{id}/restore': true,
  '/v1/media': true,
  '/v1/users/me/exports': true,
  '/v1/posts/{idOrSlug}/revisions/{version}/revert': true,
  '/v1/auth/tokens': true,
  '/v1/webhooks': true,
};
/** POST operations that respond with tokens. */
const GIVES_TOKENS: Record<TokenPath, true> = {
  '/v1/auth/register': true,
  '/v1/auth/login': true,
  '/v1/auth/login/second-factor': true,
  '/v1/auth/refresh': true,
  '/v1/auth/exchange': true,
  '/v1/auth/passkeys/login': true,
  '/v1/instance/setup': true,
};

/** Sends requests with the tokens of the session, and stores the tokens of each sign-in. */
export class Sender {
  constructor(
    private readonly session: Session,
    private readonly apiToken: string | undefined,
    private readonly retries: Retries,
    /** whether a cookie has the refresh token */
    private readonly hasCookie: boolean,
  ) {}

  /** @param path as in the document, with `{id}` */
  async send(request: Request, path: string, fetch: Fetch): Promise<Response> {
    const isPost = request.method === 'POST';
    const isKeyed = isPost && path in KEYED;
    const givesTokens = isPost && path in GIVES_TOKENS;
    if (givesTokens && this.hasCookie) {
      const body = JSON.stringify({ ...((await request.json()) as object), cookie: true });
      request = new Request(request.url, { method: 'POST', headers: request.headers, signal: request.signal, body });
    }
    if (isKeyed && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', randomKey());
    const sendOnce = async (): Promise<Response> =>
      withProblem(await sendWithRetries(request, fetch, !isPost || isKeyed, this.retries));

    if (this.apiToken !== undefined && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${this.apiToken}`);
    if (givesTokens || request.headers.has('authorization')) {
      const response = await sendOnce();
      // 202: a moderator decides about the registration
      if (givesTokens && response.ok && response.status !== 202)
        await this.session.keep((await response.clone().json()) as SignedIn);
      return response;
    }
    return this.#sendSignedIn(request, sendOnce);
  }

  /** Sends the access token, and if the server refuses it, sends once more with the next token. */
  async #sendSignedIn(request: Request, sendOnce: () => Promise<Response>): Promise<Response> {
    const tokens = await this.session.read();
    const token = tokens?.accessToken ?? (tokens && (await this.session.renew(undefined)));
    if (token === undefined) return sendOnce();
    if (typeof token !== 'string') return withProblem(token.clone());
    request.headers.set('authorization', `Bearer ${token}`);
    const response = await sendOnce();
    if (response.status !== 401) return response;
    const { code } = (await response.clone().json()) as Problem;
    if (code !== 'invalid_token') return response;
    const next = await this.session.renew(token);
    if (next === undefined) return response;
    // All callers that wait for the same refresh read this response.
    if (typeof next !== 'string') return withProblem(next.clone());
    request.headers.set('authorization', `Bearer ${next}`);
    return sendOnce();
  }
}

/** `crypto.randomUUID` exists in secure contexts only. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
