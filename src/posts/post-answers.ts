import type { FastifyReply } from 'fastify';
import { preferredEncoding } from '../platform/http/compression.js';
import { decompressBody } from '../rendering/body-codec.js';
import type { PostBodyRow } from './post-row.js';
import type { PostViewRow } from './post-view.js';

/** The Markdown alone. A client that accepts the stored encoding gets the stored bytes; */
export function answerBody(
  reply: FastifyReply,
  { row, body }: { row: PostViewRow & { isListed: boolean }; body: PostBodyRow },
  acceptEncoding: string | undefined,
): Buffer {
  const canTakeStored = acceptEncoding !== undefined && preferredEncoding(acceptEncoding, [body.codec]) === body.codec;
  const etag = `${row.version}-${body.rawLength.toString(36)}`;
  void reply
    .header('Content-Type', 'text/markdown; charset=utf-8')
    .header('Cache-Control', row.isListed ? 'public, no-cache' : 'private, no-cache')
    .header('Vary', 'Accept-Encoding, Authorization')
    .header('ETag', canTakeStored ? `"${etag}-${body.codec}"` : `"${etag}"`);
  const stored = body.bytes.buffer;
  if (!canTakeStored) return Buffer.from(decompressBody({ ...body, bytes: stored }));
  void reply.header('Content-Encoding', body.codec);
  return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
}
