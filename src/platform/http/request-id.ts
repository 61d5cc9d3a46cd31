import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;
const PROCESS_MARK = randomBytes(4).toString('hex');
let counter = 0;

/** The client's X-Request-Id where it is harmless, otherwise one of ours: unique per process start, cheap, sortable. */
export function createRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given === 'string' && ACCEPTED.test(given)) return given;
  counter = (counter + 1) % 0xffffffff;
  return `req-${PROCESS_MARK}-${counter.toString(36)}`;
}
