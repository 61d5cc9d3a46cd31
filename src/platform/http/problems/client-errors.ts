import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ERROR_CODES } from '../../../common/errors.js';
import { createRequestId } from '../request-identity.js';
import { rawProblem } from './raw-problem.js';

/** node stores the response in progress here. */
type HttpSocket = Duplex & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null };

/** By node's error code; every other error before a complete request is malformed HTTP. */
const ANSWERS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The head of the request is larger than this server accepts.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions are larger than this server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const MALFORMED: [ErrorCode, string] = ['malformed_request', 'This is not an HTTP request.'];

const closing = new WeakSet<Duplex>();

/** Closing while a client still sends would reset the connection, and the client could not read the response. */
const LINGER_MS = 1_000;

/**
 * Sends one response and closes the connection when the input is not HTTP, too large or too slow. Complete requests before it on the
 * same connection get their responses first: the client would take the error for one of those.
 */
export function sendClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = ANSWERS[error.code ?? ''] ?? MALFORMED;
  endWith(socket, code, detail);
}

/** CONNECT is for proxies; node would close the connection silently. */
export function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  // node has removed its own listeners: without one, a client that resets the connection would end the process
  socket.on('error', () => socket.destroy());
  // its parser has been freed: a pending response would wait forever for a client that can no longer be read
  if ((socket as HttpSocket)._httpMessage) return void socket.destroy();
  endWith(socket, 'method_not_allowed', 'This server is not a proxy.');
}

function endWith(socket: HttpSocket, code: ErrorCode, detail: string): void {
  const current = socket._httpMessage;
  if (current?.req.complete) {
    // node's own listener came first, and has started the next response, if there is one
    current.once('finish', () => setImmediate(() => endWith(socket, code, detail)));
    return;
  }
  // a partial response cannot be replaced
  if (current?.headersSent || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = rawProblem(code, detail, createRequestId({ headers: {} }));
  let head = `HTTP/1.1 ${status} ${ERROR_CODES[code][1]}\r\nconnection: close\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  socket.end(`${head}\r\n${body.toString()}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
