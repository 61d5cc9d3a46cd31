import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problem.js';
import { createRequestId } from './request-id.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** What RFC 9110 asks every server to accept; the longest address that means something here (100 ids) has 2,600. */
const MAX_URL_LENGTH = 8_000;

/** True when the address was too long and that was answered here, before anybody parses, logs or compares it. */
export function refuseLongUrl(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url!.length <= MAX_URL_LENGTH) return false;
  const requestId = createRequestId(request);
  const detail = `An address may have ${MAX_URL_LENGTH} characters.`;
  const body = JSON.stringify(problemOf('uri_too_long', detail, '/', requestId));
  request.resume();
  response.writeHead(414, {
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
