import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../../common/errors.js';
import { rejectRaw } from './problems/raw-problem.js';
import { urlError, decodeUnreserved } from './request-identity.js';
import type { ResponseHeaders } from './response-headers.js';

type RequestError = [code: ErrorCode, detail: string];

/** The maximum number of headers. Clients send 10 to 40. */
const MAX_HEADERS = 200;
/** RFC 9110 recommends that servers accept at least 8,000 characters. The longest useful URL of this API (100 ids) has 2,600. */
const MAX_URL_LENGTH = 8_000;
/** The absolute form of a URL, as sent to proxies, without credentials. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@\\]{1,300})(?=[/?]|$)/i;

/** Rejects too many headers, or not exactly one Host (RFC 9112, 3.2), before the response cache. Returns true if it has sent an error. */
export function rejectInvalidHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  common: ResponseHeaders,
): boolean {
  const error = headerError(request);
  if (error !== null) rejectRaw(request, response, error, common);
  return error !== null;
}

/** Rejects other invalid requests, after the response cache, which contains only valid URLs. Returns true if it has sent an error. */
export function rejectInvalidRequest(
  request: IncomingMessage,
  response: ServerResponse,
  common: ResponseHeaders,
): boolean {
  const error = targetError(request) ?? bodyError(request);
  if (error !== null) rejectRaw(request, response, error, common);
  return error !== null;
}

function headerError({ rawHeaders, httpVersion }: IncomingMessage): RequestError | null {
  // Above a thousand headers, Node drops some, possibly X-Forwarded-For.
  if (rawHeaders.length > 2 * MAX_HEADERS) return ['headers_too_large', `A request may have ${MAX_HEADERS} headers.`];
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null;
  return ['malformed_request', 'A request must have one Host header.'];
}

/** Validates and normalizes the request target: absolute form to a path (RFC 9112, 3.2.2), `%5F` in a path to `_`. */
function targetError(request: IncomingMessage): RequestError | null {
  if (request.url!.length > MAX_URL_LENGTH)
    return ['uri_too_long', `An address may have ${MAX_URL_LENGTH} characters.`];
  const [origin, host] = ABSOLUTE_FORM.exec(request.url!) ?? [];
  if (origin !== undefined) {
    const path = request.url!.slice(origin.length);
    request.headers.host = host;
    request.url = path.startsWith('/') ? path : `/${path}`;
  }
  request.url = decodeUnreserved(request.url!);
  const error = urlError(request.url, request.method!);
  return error === null ? null : ['invalid_input', error];
}

function bodyError({ headers }: IncomingMessage): RequestError | null {
  const { 'transfer-encoding': transfer, 'content-length': length, 'content-encoding': encoding } = headers;
  if (transfer === undefined && (length === undefined || length === '0')) {
    // Ignores the content type of a request without a body, which many clients send.
    delete headers['content-type'];
    return null;
  }
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    return ['malformed_request', 'The only transfer coding is chunked.'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return ['unsupported_media_type', 'Send the body without a Content-Encoding.'];
  return null;
}
