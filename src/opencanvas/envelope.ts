import type { ErrorCode } from '../common/errors.js';
import type { ErrorForm } from '../platform/http/problems/error-form.js';

/** Result of a handler: `status` is the HTTP status, the other fields are the body. */
export type HandlerResult = { status?: number; message?: string; data?: unknown; [field: string]: unknown };

/** Wraps results and errors in the response format of OpenCanvas. */
export type Envelope = { success: (fields: object) => object; error: (message: string) => object };

/** The route configuration that the interceptor reads. */
export type OpenCanvasRoute = { opencanvas: { envelope: Envelope; headers: Record<string, string> } };

export const ENVELOPE: Envelope = {
  success: (fields) => ({ success: true, ...fields }),
  error: (message) => ({ success: false, message }),
};

/** Exact texts of OpenCanvas, which the client displays or compares. Other errors use the messages of this server. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  malformed_body: 'Invalid JSON payload',
  body_too_large: 'Payload too large',
  unauthorized: 'Access token required',
  invalid_token: 'Invalid or expired token',
  not_found: 'Not found',
  post_not_found: 'Post not found',
  user_not_found: 'User not found',
  comment_not_found: 'Comment not found',
  collection_not_found: 'Collection not found',
};

/** The client expects 400, because OpenCanvas never responds 409. */
const CONFLICT = 409;

export function errorFormOf({ error }: Envelope, headers: Record<string, string>): ErrorForm {
  return ({ status, code, detail }) => ({
    status: status === CONFLICT ? 400 : status,
    headers,
    body: error(MESSAGES[code as ErrorCode] ?? detail),
  });
}
