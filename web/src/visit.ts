type PostEvent = { kind: 'view' | 'read'; referrer?: string };
export type Send = (id: string, event: PostEvent) => Promise<unknown>;

const TICK_MS = 1_000;
/** What counts as a read: this share of the reading time on a visible page, and at least this long. */
const READ_SHARE = 1 / 3;
const MIN_READ_SECONDS = 10;
/** as the API accepts it: no IPv6 address */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/**
 * Reports a visit of the page of a post: a view in its first visible second, and a read when the reader has also come to the end of the
 * text. A failed report changes nothing.
 */
export function reportVisit(send: Send): void {
  const article = document.querySelector<HTMLElement>('.reading > article');
  const end = article?.querySelector('.post-foot');
  if (article === null || end == null) return;
  const { post, minutes } = article.dataset;
  const report = (event: PostEvent): void => void send(post!, event).catch(() => undefined);
  const needed = Math.max(MIN_READ_SECONDS, READ_SHARE * 60 * Number(minutes));
  let seconds = 0;
  let isAtEnd = false;
  new IntersectionObserver((entries) => (isAtEnd ||= entries.some((one) => one.isIntersecting))).observe(end);
  const timer = setInterval(() => {
    // A page that the browser loads ahead is hidden.
    if (document.visibilityState === 'hidden') return;
    if (++seconds === 1) report({ kind: 'view', ...referrer() });
    if (seconds < needed || !isAtEnd) return;
    clearInterval(timer);
    report({ kind: 'read' });
  }, TICK_MS);
}

/** Sends the event of a visitor, without cookies. */
export const sendAsVisitor: Send = (id, event) =>
  fetch(`/v1/posts/${id}/events`, {
    ...{ method: 'POST', body: JSON.stringify(event), headers: { 'content-type': 'application/json' } },
    ...{ credentials: 'omit', keepalive: true },
  });

function referrer(): { referrer?: string } {
  const host = document.referrer === '' ? '' : new URL(document.referrer).hostname;
  return HOST.test(host) ? { referrer: host } : {};
}
