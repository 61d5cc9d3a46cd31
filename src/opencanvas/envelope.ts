import type { ErrorCode } from '../common/errors.js';
import type { ErrorForm } from '../platform/http/problems/error-form.js';

/** The result of a handler; `status` is of the response, the other fields are its body. */
export type Answer = { status?: number; message?: string; data?: unknown; [field: string]: unknown };

/** The form of results and errors. */
export type Envelope = { success: (fields: object) => object; error: (message: string) => object };

/** In the configuration of a route, for the interceptor. */
export type OpenCanvasRoute = { opencanvas: { envelope: Envelope; headers: Record<string, string> } };

export const ENVELOPE: Envelope = {
  success: (fields) => ({ success: true, ...fields }),
  error: (message) => ({ success: false, message }),
};

/** What the client shows or compares, in OpenCanvas's words; other errors have our own. */
const WORDS: Partial<Record<ErrorCode, string>> = {
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

/** OpenCanvas knows no 409: a full list is a bad request. */
const CONFLICT = 409;

export function errorFormOf({ error }: Envelope, headers: Record<string, string>): ErrorForm {
  return ({ status, code, detail }) => ({
    status: status === CONFLICT ? 400 : status,
    headers,
    body: error(WORDS[code as ErrorCode] ?? detail),
  });
}
