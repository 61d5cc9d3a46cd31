import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODES, type ErrorCode } from '../../common/errors.js';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problems/problem.js';
import { addressFault } from './request-identity.js';
import { createRequestId } from './request-id.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** What RFC 9110 asks every server to accept; the longest address that means something here (100 ids) has 2,600. */
const MAX_LENGTH = 8_000;

/**
 * True when the address was refused here: too long to parse, log or compare, or another spelling of an address that has one. Stands
 * behind the response cache, which knows only addresses that came through here.
 */
export function refuseAddress(request: IncomingMessage, response: ServerResponse): boolean {
  const target = request.url!;
  if (target.length > MAX_LENGTH) {
    refuse('uri_too_long', `An address may have ${MAX_LENGTH} characters.`, request, response);
    return true;
  }
  const fault = addressFault(target, request.method!);
  if (fault === null) return false;
  refuse('invalid_input', fault, request, response);
  return true;
}

function refuse(code: ErrorCode, detail: string, request: IncomingMessage, response: ServerResponse): void {
  const requestId = createRequestId(request);
  const body = JSON.stringify(problemOf(code, detail, '/', requestId));
  request.resume();
  response.writeHead(ERROR_CODES[code][0], {
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
