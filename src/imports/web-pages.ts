import { Injectable } from '@nestjs/common';
import { addressOf } from '../platform/http/validation/foreign-values.js';
import { fetchImport, importFailed } from '../platform/safe-http/fetch-import.js';
import { SafeHttpClient } from '../platform/safe-http/safe-http-client.js';

const ACCEPT =
  'text/html,application/xhtml+xml,application/rss+xml,application/atom+xml,application/xml;q=0.9,*/*;q=0.1';
/** of the request */
const FIELD = 'address';
const HEAD_BYTES = 1_024;
const CHARSET = /(?:charset|encoding)\s*=\s*["']?([\w.:-]+)/i;

/** A page or feed. `address` is the last one after redirects. */
export type WebPage = { address: string; text: string };

/** Reads pages and feeds of other sites. */
@Injectable()
export class WebPages {
  constructor(private readonly outgoing: SafeHttpClient) {}

  /** @throws CodedError `import_failed` */
  async read(url: string): Promise<WebPage> {
    const response = await fetchImport(this.outgoing, url, FIELD, { headers: { accept: ACCEPT } });
    const bytes = Buffer.from(await response.arrayBuffer());
    // A redirect may lead to an address of any length.
    const address = addressOf(response.url, 'https:', 'http:') ?? url;
    return { address, text: textOf(bytes, response.headers.get('content-type') ?? '') };
  }
}

/** Decodes a page by the encoding that its headers, its XML or its `<meta>` names, else UTF-8. */
function textOf(bytes: Buffer, contentType: string): string {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const encoding = (CHARSET.exec(contentType) ?? CHARSET.exec(head))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw importFailed(FIELD, `The URL has no page or feed: its bytes are no text in ${encoding}.`, error);
  }
}
