import type { FastifyReply } from 'fastify';

/** Headers that belong to one answer and may not be kept for the next. */
const PER_REQUEST = new Set([
  'x-request-id',
  'server-timing',
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'set-cookie',
  'connection',
  'content-length',
  'date',
]);

/** What the framework has put on an answer that every client would get. */
export function headersForAll(reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value === undefined || PER_REQUEST.has(name)) continue;
    // `*` holds for everybody, a single origin only for the one who asked
    if (name === 'access-control-allow-origin' && value !== '*') continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return headers;
}
