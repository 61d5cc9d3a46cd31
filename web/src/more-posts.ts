import { trusted } from './trusted.js';

/** Distance to the end of a list at which its next page loads. */
const AHEAD = '800px';
/** Later pages load on a click, so that a document stays bounded. */
const MAX_PAGES = 10;

/**
 * Loads the next page of a list of posts when the reader comes near its end. Without a response, the link to it stays.
 *
 * @param added called with the posts of each page
 */
export function continueList(added: (posts: HTMLElement[]) => void, pages = 1): void {
  const pager = document.querySelector('.card ~ .pager');
  const link = pager?.querySelector<HTMLAnchorElement>('a[rel=next]');
  if (link == null || pages >= MAX_PAGES) return;
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void load(link.href).catch(() => undefined);
    },
    { rootMargin: AHEAD },
  );
  observer.observe(link);

  async function load(url: string): Promise<void> {
    const response = await fetch(url);
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(trusted(await response.text()), 'text/html');
    // A post moves to a later page when others get ahead of it.
    const posts = [...page.querySelectorAll<HTMLElement>('main .card')].filter(
      ({ dataset }) => document.querySelector(`.card[data-post="${dataset['post']}"]`) === null,
    );
    pager!.before(...posts);
    pager!.replaceWith(...page.querySelectorAll('.card ~ .pager'));
    added(posts);
    continueList(added, pages + 1);
  }
}
