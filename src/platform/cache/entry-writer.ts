import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ResponseHeaders } from '../http/response-headers.js';
import type { Asked } from './asked.js';
import { type AnswerState, type CacheEntry, matchesEtag } from './cache-entry.js';
import { chooseVariant } from './encoder.js';
import { EntryStore } from './entry-store.js';

const NONE: string[] = [];

/** Writes every answer that an entry gives, hit, stale or just computed: encoding, ETag and 304, CORS, private or shared. */
@Injectable()
export class EntryWriter {
  readonly counts = { notModified: 0 };

  constructor(
    private readonly store: EntryStore,
    private readonly headers: ResponseHeaders,
  ) {}

  /** @param own headers of this answer alone, names and values in turn */
  write(
    entry: CacheEntry,
    state: AnswerState,
    asked: Asked,
    { method }: IncomingMessage,
    response: ServerResponse,
    own: string[] = NONE,
  ): void {
    // most pages that were just computed are not asked for again: they are encoded when they are
    const isPlain = asked.acceptEncoding === undefined || state === 'MISS';
    const variant = isPlain ? entry.identity : chooseVariant(this.store, entry, asked.acceptEncoding);
    let headers = variant.headersOf(state, asked.authorization !== undefined);
    const origin = this.headers.allowedOrigin(asked.origin);
    if (own.length > 0) headers = [...headers, ...own];
    if (origin !== undefined) headers = [...headers, 'access-control-allow-origin', origin];
    if (asked.ifNoneMatch !== undefined && matchesEtag(entry, asked.ifNoneMatch)) {
      this.counts.notModified++;
      response.writeHead(304, withoutContent(headers));
      response.end();
      return;
    }
    response.writeHead(entry.status, headers);
    if (method === 'HEAD') response.end();
    else response.end(variant.body);
  }
}

function withoutContent(headers: string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (name !== 'content-length' && name !== 'content-type' && name !== 'content-encoding')
      kept.push(name, headers[at + 1]!);
  }
  return kept;
}
