import type { IncomingMessage } from 'node:http';

/** The home page has the URL of the index of the API, so the server knows it by another path. */
export const HOME_PATH = '/hot';

/** Rewrites `/` for clients that prefer HTML, as browsers do. Runs before the response cache, which is keyed by URL. */
export function rewriteHome(request: IncomingMessage): void {
  if (prefersHtml(request.headers.accept)) request.url = `${HOME_PATH}${request.url!.slice(1)}`;
}

/** Whether an Accept header names HTML, and JSON not with a higher quality. */
export function prefersHtml(accept = ''): boolean {
  const html = Math.max(qualityOf(accept, 'text/html'), qualityOf(accept, 'application/xhtml+xml'));
  return html > 0 && html >= qualityOf(accept, 'application/json');
}

/** Returns the quality of a media type that the header names, or 0. */
function qualityOf(accept: string, type: string): number {
  for (const range of accept.split(',', 50)) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return 0;
}
