import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { WAIT_MS } from '../../support/until.js';

export type HttpAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  tookMs: number;
  /** The connection has sent a request before. */
  isReused: boolean;
};

export type HttpRequest = {
  method: string;
  path: string;
  body?: object;
  token?: string;
  key?: string;
  ifMatch?: string;
  /** Closes the connection after this time without a response. */
  confirmTimeoutMs?: number;
};

/** A client with its own connections. `isKeptAlive: false` opens one for each request, so that every worker gets some. */
export class HttpClient {
  private readonly agent: Agent;
  private readonly urls: readonly string[];
  private sent = 0;

  /** @param url one server, or several that are used in rotation */
  constructor(url: string | readonly string[], isKeptAlive = true) {
    this.urls = typeof url === 'string' ? [url] : url;
    this.agent = new Agent({ keepAlive: isKeptAlive, maxSockets: isKeptAlive ? 1 : Infinity });
  }

  /** @throws when the connection closes without a response */
  send({ method, path, body, token, key, ifMatch, confirmTimeoutMs = WAIT_MS }: HttpRequest): Promise<HttpAnswer> {
    const startedAt = performance.now();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        this.urls[this.sent++ % this.urls.length]! + path,
        {
          method,
          agent: this.agent,
          timeout: confirmTimeoutMs,
          headers: {
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(key !== undefined && { 'idempotency-key': key }),
            ...(ifMatch !== undefined && { 'if-match': ifMatch }),
            ...(payload !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(payload),
            }),
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode = 0, headers } = response;
            const tookMs = performance.now() - startedAt;
            resolve({ status: statusCode, headers, text, tookMs, isReused: sent.reusedSocket });
          });
        },
      );
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new NoAnswer(`${method} ${path}`)));
      sent.end(payload);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}
