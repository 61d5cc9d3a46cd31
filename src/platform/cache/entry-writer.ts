import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ResponseHeaders } from '../http/response-headers.js';
import { writeAnswer } from '../http/write-answer.js';
import type { RequestedForm } from './requested-form.js';
import type { AnswerState, CacheEntry } from './cache-entry.js';
import { chooseVariant, prepareVariant } from './encoder.js';
import { EntryStore } from './entry-store.js';

/** Writes every answer that an entry gives, hit, stale or just computed: in the encoding that was asked for, private or shared. */
@Injectable()
export class EntryWriter {
  readonly counts = { notModified: 0 };

  constructor(
    private readonly store: EntryStore,
    private readonly headers: ResponseHeaders,
  ) {}

  /** Resolves when a large answer that was just computed is compressed for its client. */
  prepare(entry: CacheEntry, { acceptEncoding }: RequestedForm): Promise<void> {
    return prepareVariant(this.store, entry, acceptEncoding);
  }

  /** @param own headers of this answer alone, names and values in turn */
  write(
    entry: CacheEntry,
    state: AnswerState,
    form: RequestedForm,
    request: IncomingMessage,
    response: ServerResponse,
    own?: string[],
  ): void {
    const isNew = state === 'MISS' || state === 'BYPASS';
    const variant = chooseVariant(this.store, entry, form.acceptEncoding, isNew);
    const ageSeconds = Math.floor((performance.now() - entry.storedAt) / 1_000);
    let headers = variant.headersOf(state, form.authorization !== undefined, ageSeconds);
    const origin = this.headers.allowedOrigin(form.origin);
    if (own !== undefined) headers = headers.concat(own);
    if (origin !== undefined) headers = [...headers, 'access-control-allow-origin', origin];
    const answer = { status: 200, headers, body: variant.body, etag: entry.etag };
    if (writeAnswer(request, response, answer, form)) this.counts.notModified++;
  }
}
