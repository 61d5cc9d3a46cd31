import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODES, type ErrorCode } from '../../../common/errors.js';
import { addressFault, createRequestId } from '../request-identity.js';
import { type ResponseHeaders, SECURITY_HEADERS } from '../response-headers.js';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problem.js';

/** What RFC 9110 asks every server to accept; the longest address that means something here (100 ids) has 2,600. */
const MAX_ADDRESS_LENGTH = 8_000;

/** A whole answer for a request that no framework sees; headers are names and values in turn, as `writeHead` takes them. */
export function rawProblem(
  code: ErrorCode,
  detail: string,
  requestId: string,
  common: Readonly<Record<string, string>> = SECURITY_HEADERS,
): { status: number; headers: string[]; body: Buffer } {
  const body = Buffer.from(JSON.stringify(problemOf(code, detail, '/', requestId)));
  const own = {
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': String(body.length),
    'cache-control': 'no-store',
  };
  const headers = Object.entries({ ...own, ...common, 'x-request-id': requestId }).flat();
  return { status: ERROR_CODES[code][0], headers, body };
}

/**
 * True when the address was refused here: too long to parse, log or compare, or another spelling of an address that has one. Stands
 * behind the response cache, which knows only addresses that came through here.
 */
export function refuseAddress(request: IncomingMessage, response: ServerResponse, common: ResponseHeaders): boolean {
  const isLong = request.url!.length > MAX_ADDRESS_LENGTH;
  const fault = isLong
    ? `An address may have ${MAX_ADDRESS_LENGTH} characters.`
    : addressFault(request.url!, request.method!);
  if (fault === null) return false;
  const code = isLong ? 'uri_too_long' : 'invalid_input';
  const { status, headers, body } = rawProblem(
    code,
    fault,
    createRequestId(request),
    common.forOrigin(request.headers.origin),
  );
  // an unread body would hold the connection
  request.resume();
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
