import { request as requestByHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { OutgoingError } from './outgoing-error.js';
import { isPublicAddress } from './public-addresses.js';
import { lookup, Resolver } from 'node:dns/promises';

export type OutgoingOptions = {
  /** `host:port` that is allowed despite a private address or an unusual port */
  allowedPrivate?: readonly string[];
  /** for a whole request, including redirects and body */
  timeoutMs?: number;
  maxBodyBytes?: number;
  /** trusted certificate authorities in addition to Node's */
  ca?: string;
  resolve?: Resolve;
};

/**
 * `keepBytes` reads only the start of the body, of any size, and 0 only the status and the headers. A body that ends too early is then
 * no error.
 */
export type OutgoingInit = RequestInit & { keepBytes?: number };
type Hop = {
  url: URL;
  method: string;
  headers: Headers;
  body: Uint8Array;
  signal: AbortSignal;
  keepBytes: number | undefined;
};

/** Other ports belong to mail servers, databases or shells, which must not receive forged requests. */
const PORTS = ['', '80', '443', '8080', '8443'];
/** RFC 6761 */
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;
const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 16_384;
const MAX_URL_LENGTH = 4_096;
const WITHOUT_BODY = [204, 205, 304];
const REDIRECTS = [301, 302, 303, 307, 308];
/** Headers that the client never sends to another origin after a redirect. */
const SECRET_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * SSRF-safe client for user-supplied URLs. Resolves a name once per connection, connects only to the checked address, and checks every
 * redirect again. Does not decompress bodies.
 */
export class SafeHttpClient {
  private readonly allowedPrivate: Set<string>;
  private readonly timeoutMs: number;
  private readonly maxBodyBytes: number;
  private readonly ca: string | undefined;
  private readonly resolve: Resolve | undefined;

  constructor(options: OutgoingOptions = {}) {
    this.allowedPrivate = new Set(
      (options.allowedPrivate ?? []).map((entry) => endpointOf(new URL(`http://${entry}`))),
    );
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.maxBodyBytes = options.maxBodyBytes ?? 5 * 1024 * 1024;
    this.ca = options.ca;
    this.resolve = options.resolve;
  }

  /**
   * Like the global `fetch`, with a fully read response.
   * @param trustedUrl a URL that the operator has configured, which may be private
   * @throws OutgoingError
   */
  async fetch(input: string | URL, init: OutgoingInit = {}, trustedUrl?: URL): Promise<Response> {
    if (String(input).length > MAX_URL_LENGTH) throw new OutgoingError('refused', 'The address is too long.');
    const request = new Request(parseUrl(input), init);
    const late = AbortSignal.timeout(this.timeoutMs);
    const signal = AbortSignal.any([request.signal, late]);
    const allowed =
      trustedUrl === undefined ? this.allowedPrivate : new Set([...this.allowedPrivate, endpointOf(trustedUrl)]);
    const body = new Uint8Array(await request.arrayBuffer());
    const { method, headers } = request;
    let hop: Hop = { url: new URL(request.url), method, headers, body, signal, keepBytes: init.keepBytes };
    try {
      for (let redirects = 0; ; redirects += 1) {
        const response = await this.exchange(hop, allowed);
        const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
        if (location === null || request.redirect === 'manual') return response;
        if (redirects === MAX_REDIRECTS || request.redirect === 'error')
          throw new OutgoingError('too_many_redirects', 'The address leads to another one too often.');
        hop = follow(hop, response.status, location);
      }
    } catch (error) {
      if (error instanceof OutgoingError) throw error;
      if (late.aborted) throw new OutgoingError('timeout', 'The URL did not respond in time.', error);
      throw new OutgoingError('unreachable', 'The URL could not be reached.', error);
    }
  }

  /**
   * Refuses an address that no request may ever go to, without resolving its name.
   * @param scheme `https` also refuses http, except of an allowed private host
   * @throws OutgoingError `refused`
   */
  requireAllowed(input: string, scheme: 'any' | 'https' = 'any'): void {
    const url = parseUrl(input);
    const isAllowed = this.allowedPrivate.has(endpointOf(url));
    requireAllowed(url, isAllowed);
    if (scheme === 'https' && url.protocol !== 'https:' && !isAllowed)
      throw new OutgoingError('refused', 'The address must begin with https://.');
  }

  private async exchange(
    { url, method, headers, body, signal, keepBytes }: Hop,
    allowed: Set<string>,
  ): Promise<Response> {
    const isAllowed = allowed.has(endpointOf(url));
    requireAllowed(url, isAllowed);
    const options: RequestOptions = {
      method,
      headers: { 'accept-encoding': 'identity', ...Object.fromEntries(headers), ...lengthOf(body) },
      signal,
      // A reused connection could lead to an address that was checked for another request.
      agent: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      lookup: this.lookupFor(isAllowed),
    };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const request =
        url.protocol === 'https:' ? requestByHttps(url, { ...options, ca: this.ca }) : requestByHttp(url, options);
      request.once('response', resolve).on('error', reject);
      // The client requests no upgrade.
      request.once('upgrade', (_, socket) => socket.destroy());
      request.once('close', () => reject(new Error('closed without a response')));
      request.end(body);
    });
    try {
      const read = await (keepBytes === undefined ? this.readBody(message) : readStart(message, keepBytes));
      const fields = Object.entries(message.headersDistinct).flatMap(([name, values]) =>
        (values ?? []).map((value): [string, string] => [name, value]),
      );
      const status = message.statusCode!;
      const response = new Response(WITHOUT_BODY.includes(status) ? null : read, { status, headers: fields });
      // A Response that a program creates has no URL.
      return Object.defineProperty(response, 'url', { value: url.href });
    } finally {
      message.destroy();
    }
  }

  private async readBody(message: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Buffer[] = [];
    let length = Number(message.headers['content-length'] ?? 0);
    const requireCapacity = (): void => {
      if (length > this.maxBodyBytes) throw new OutgoingError('too_large', 'The response is too large.');
    };
    requireCapacity();
    length = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.byteLength;
      requireCapacity();
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  }

  /** Returns a lookup function that Node calls. Node connects only to the addresses that the function returns. */
  private lookupFor(isAllowed: boolean): LookupFunction {
    const resolve = this.resolve ?? (isAllowed ? resolveBySystem : resolveByDns);
    return (hostname, { all }, callback) => {
      resolve(hostname)
        .then((addresses) => {
          const fit = addresses.filter((address) => isAllowed || isPublicAddress(address));
          if (fit.length === 0) throw refusedAddress();
          const found = fit.map((address) => ({ address, family: isIP(address) }));
          if (all) callback(null, found);
          else callback(null, found[0]!.address, found[0]!.family);
        })
        .catch((error: NodeJS.ErrnoException) => callback(error, []));
    };
  }
}

/** Checks an IP address in place of a name, which is never resolved, and the names of this machine. */
function requireAllowed(url: URL, isAllowed: boolean): void {
  if (isAllowed) return;
  if (!PORTS.includes(url.port)) throw new OutgoingError('refused', `Port ${url.port} is not allowed.`);
  const host = hostOf(url);
  if (isIP(host) > 0 ? !isPublicAddress(host) : LOOPBACK_NAME.test(host)) throw refusedAddress();
}

async function readStart(message: IncomingMessage, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of bytes === 0 ? [] : (message as AsyncIterable<Buffer>)) {
      chunks.push(chunk);
      if ((length += chunk.byteLength) >= bytes) break;
    }
  } catch {
    // The status counts.
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, bytes));
}

function follow(hop: Hop, status: number, location: string): Hop {
  const { url, method, headers } = hop;
  const next = parseUrl(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw new OutgoingError('refused', 'The address leads from https to http.');
  const kept = new Headers(headers);
  if (next.origin !== url.origin) for (const name of SECRET_HEADERS) kept.delete(name);
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return { ...hop, url: next, headers: kept };
  kept.delete('content-type');
  return { ...hop, url: next, method: 'GET', headers: kept, body: new Uint8Array() };
}

function parseUrl(text: string | URL, base?: URL): URL {
  if (!URL.canParse(String(text), base?.href)) throw new OutgoingError('refused', 'This is not an address.');
  const url = new URL(text, base);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new OutgoingError('refused', 'The address must begin with https:// or http://, and have no password.');
  return url;
}

/** Node sets the Content-Length only for some methods. */
function lengthOf({ byteLength }: Uint8Array): Record<string, number> {
  return byteLength === 0 ? {} : { 'content-length': byteLength };
}

function refusedAddress(): OutgoingError {
  return new OutgoingError('refused', 'The address is not one of a public host.');
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function endpointOf(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/** The addresses of a name. */
type Resolve = (hostname: string) => Promise<string[]>;

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** Queries DNS only, because a slow name server would occupy the few threads that files and hashes of a process share. */
const resolveByDns: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [v4, v6].flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
};

/** Resolves like other programs of this machine, with the hosts file and search domains. */
const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
