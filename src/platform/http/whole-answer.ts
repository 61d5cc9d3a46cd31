import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Headers that every answer of a route has, as they are sent; they have passed node's checks in an earlier answer. */
export type SharedHeaders = { list: string[]; text: string };

/** What node's own `writeHead` and `end` are made of. */
type Parts = { _header?: unknown; _send?: (data: string, encoding: BufferEncoding) => unknown };

const STATUS_LINE = 'HTTP/1.1 200 OK\r\n';
/** A node that is made otherwise gets the long way; a spec says so before an operator wonders. */
export const hasParts = ((): boolean => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const parts = response.writeHead(200, ['server', 'any']) as Parts;
  const { _header: head } = parts;
  return (
    typeof head === 'string' && head.startsWith(`${STATUS_LINE}server: any\r\n`) && typeof parts._send === 'function'
  );
})();

export function sharedHeaders(headers: Record<string, string>): SharedHeaders {
  const entries = Object.entries(headers);
  return { list: entries.flat(), text: entries.map(([name, value]) => `${name}: ${value}\r\n`).join('') };
}

/**
 * A 200 with a small body, in one write. `writeHead` looks at every character of every header each time, and `end` sends head and body,
 * and an empty last piece, as a list: together a tenth of what a short write costs node (docs/performance/writes.md). Date,
 * keep-alive and pipelining stay node's. Where node is made otherwise, it is `writeHead` and `end`.
 */
export function answerWhole(
  response: ServerResponse,
  shared: SharedHeaders,
  headers: string[],
  body: string,
  isWhole = hasParts,
): void {
  const bytes = Buffer.byteLength(body);
  headers.push('content-length', String(bytes));
  if (!isWhole) {
    response.writeHead(200, shared.list.concat(headers));
    response.end(body);
    return;
  }
  const parts = response.writeHead(200, headers) as unknown as { _header: string } & Required<Parts>;
  parts._header = STATUS_LINE + shared.text + parts._header.slice(STATUS_LINE.length);
  parts._send(body, bytes === body.length ? 'latin1' : 'utf8');
  response.end();
}
