import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODES, type ErrorCode } from '../../../common/errors.js';
import { createRequestId } from '../request-identity.js';
import { countResponse } from '../write-response.js';
import { type ResponseHeaders, SECURITY_HEADERS } from '../response-headers.js';
import { PROBLEM_CONTENT_TYPE, problemOf } from './problem.js';

/** Builds a complete error response outside the framework. Its headers are alternating names and values, as for `writeHead`. */
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

/** Rejects a request outside the framework. */
export function rejectRaw(
  request: IncomingMessage,
  response: ServerResponse,
  [code, detail]: [code: ErrorCode, detail: string],
  common: ResponseHeaders,
): void {
  const requestId = createRequestId(request);
  const { status, headers, body } = rawProblem(code, detail, requestId, common.forOrigin(request.headers.origin));
  // An unread body would block the connection.
  request.resume();
  countResponse('native', status);
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}
