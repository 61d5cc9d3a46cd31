import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ERROR_CODES } from '../../../common/errors.js';
import { watchUpload } from '../long-uploads.js';
import { createRequestId } from '../request-identity.js';
import { countResponse } from '../write-response.js';
import { rawProblem } from './raw-problem.js';

/** Node stores the current response in this private property. */
type HttpSocket = Duplex & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null };

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Errors by Node's error code. All other errors before a complete request are malformed HTTP. */
const PARSER_ERRORS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The head of the request is larger than this server accepts.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions are larger than this server accepts.'],
  [TIMEOUT]: ['request_timeout', 'The request did not arrive in time.'],
};
const MALFORMED: [ErrorCode, string] = ['malformed_request', 'This is not an HTTP request.'];

const closing = new WeakSet<Duplex>();

/** The time before an error response's socket is destroyed: closing earlier resets the connection before the client reads the response. */
const LINGER_MS = 1_000;

/**
 * Sends an error response and closes the connection if the input is not HTTP, too large or too slow. Earlier complete requests of the
 * connection get their responses first, because the client would attribute the error to one of them.
 */
export function sendClientError(error: Error & { code?: string }, socket: HttpSocket): void {
  if (closing.has(socket)) return;
  const request = socket._httpMessage?.req;
  if (error.code === TIMEOUT && request !== undefined && watchUpload(request, () => refuse(error, socket))) return;
  refuse(error, socket);
}

function refuse(error: Error & { code?: string }, socket: HttpSocket): void {
  closing.add(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = PARSER_ERRORS[error.code ?? ''] ?? MALFORMED;
  endWith(socket, code, detail);
}

/** Rejects CONNECT with a 405; by default Node closes the connection without a response. */
export function rejectConnect(_request: IncomingMessage, socket: Duplex): void {
  // Node has removed its error listener, and an unhandled reset would crash the process.
  socket.on('error', () => socket.destroy());
  // Node has freed the parser, so a pending response would wait forever for the client.
  if ((socket as HttpSocket)._httpMessage) return void socket.destroy();
  endWith(socket, 'method_not_allowed', 'This server is not a proxy.');
}

function endWith(socket: HttpSocket, code: ErrorCode, detail: string): void {
  const current = socket._httpMessage;
  if (current?.req.complete) {
    // Node's listener runs first and starts the next pending response.
    current.once('finish', () => setImmediate(() => endWith(socket, code, detail)));
    return;
  }
  // The server cannot replace a response that has started.
  if (current?.headersSent || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = rawProblem(code, detail, createRequestId({ headers: {} }));
  countResponse('native', status);
  let head = `HTTP/1.1 ${status} ${ERROR_CODES[code][1]}\r\nconnection: close\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  socket.end(`${head}\r\n${body.toString()}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
