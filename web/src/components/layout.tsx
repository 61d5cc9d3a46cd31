import type { ComponentChildren } from 'preact';
import { withQuery } from '../api.js';
import type { SiteFacts } from '../contract.js';
import { useTexts } from './context.js';

type Props = {
  site: SiteFacts;
  /** path of the current page, for `aria-current` */
  path: string;
  /** text of the search field */
  query?: string;
  children: ComponentChildren;
};

const FEEDS = { hot: '/', latest: '/latest', top: '/top' } as const;
type FeedName = keyof typeof FEEDS;

/** Header, main content and footer of every page. */
export function Layout({ site, path, query = '', children }: Props) {
  const texts = useTexts();
  return (
    <>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="site-header">
        <div class="bar">
          {site.hasPages ? (
            <a class="site-name" href="/" dir="auto">
              {site.name}
            </a>
          ) : (
            <span class="site-name" dir="auto">
              {site.name}
            </span>
          )}
          {site.hasPages && <Navigation path={path} query={query} />}
          {/* The menu of the account replaces it in the browser. */}
          <div id="account">{site.hasPages && <SignInLinks />}</div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer class="site-footer">
        <p>
          <a href="/v1/feeds/latest.atom">{texts.feed}</a>
          <a href="/docs">{texts.apiDocs}</a>
          <span>
            {texts.poweredBy} {texts.source}
          </span>
        </p>
      </footer>
    </>
  );
}

export function SignInLinks({ to }: { to?: string }) {
  const texts = useTexts().viewer;
  return (
    <>
      <a href={withQuery('/sign-in', { to })}>{texts.signIn}</a>
      <a class="button" href="/register">
        {texts.register}
      </a>
    </>
  );
}

function Navigation({ path, query }: { path: string; query: string }) {
  const texts = useTexts();
  return (
    <>
      <nav class="feeds" aria-label={texts.mainNavigation}>
        {(Object.keys(FEEDS) as FeedName[]).map((name) => (
          <a key={name} href={FEEDS[name]} aria-current={path === FEEDS[name] ? 'page' : undefined}>
            {texts.feeds[name]}
          </a>
        ))}
        <a href="/tags" aria-current={path === '/tags' ? 'page' : undefined}>
          {texts.tags}
        </a>
      </nav>
      <form class="search" action="/search" role="search">
        <input
          type="search"
          name="q"
          value={query}
          aria-label={texts.searchFor}
          placeholder={texts.search}
          maxLength={100}
          required
        />
        <button aria-label={texts.search} />
      </form>
    </>
  );
}
