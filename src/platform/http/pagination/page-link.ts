import type { Page } from './page.js';
import { SerialisedPage } from './serialised-page.js';

/** `Link: <…cursor=…>; rel="next"` for every list answer that goes on. */
export function nextPageLink(url: string, nextCursor: string): string {
  const [path, query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

/** The cursor that continues a list answer, in either of its forms; undefined for anything else. */
export function nextCursorOf(body: unknown): string | null | undefined {
  if (body instanceof SerialisedPage) return body.nextCursor;
  return (body as Page<unknown> | null | undefined)?.page?.nextCursor;
}
