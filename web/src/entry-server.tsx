import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { assets } from './assets.js';
import { TextsContext } from './components/context.js';
import { Layout } from './components/layout.js';
import type { Renderer, SiteFacts } from './contract.js';
import { documentOf } from './document.js';
import type { Head } from './page.js';
import { PAGES } from './pages.js';
import { Problem } from './pages/problem.js';
import { textsOf } from './texts/index.js';

export const renderPage: Renderer['renderPage'] = async (name, request, get, site) => {
  const { load, movedTo, head, tags, View } = PAGES[name];
  const data = await load(get, request, site);
  const path = movedTo?.(data, request);
  if (path !== undefined) return { movedTo: path };
  const about = head(data, request, site);
  const html = documentWith(about, site, <View data={data} request={request} site={site} />, request.query['q']);
  return { html, styleSources: about.style === undefined ? [] : [about.style], tags: tags?.(data) ?? [] };
};

export const renderFrame: Renderer['renderFrame'] = (path, site) => {
  const texts = textsOf(site.language);
  return documentWith(
    { title: '…', canonical: path, isIndexed: false, script: assets.client, hasMath: path.startsWith('/write') },
    site,
    <div id="frame">
      <noscript>
        <p class="empty">{texts.needsScripts}</p>
      </noscript>
    </div>,
  );
};

export const renderProblem: Renderer['renderProblem'] = (problem, site) => {
  const texts = textsOf(site.language);
  const title = problem.status === 404 ? texts.notFoundTitle : problem.title;
  return documentWith({ title, canonical: '/', isIndexed: false }, site, <Problem title={title} problem={problem} />);
};

function documentWith(head: Head, site: SiteFacts, content: ComponentChildren, query?: string): string {
  const texts = textsOf(site.language);
  const body = renderToString(
    <TextsContext.Provider value={texts}>
      <Layout site={site} path={head.canonical.split('?', 1)[0]!} query={query}>
        {content}
      </Layout>
    </TextsContext.Provider>,
  );
  return documentOf(head, site, texts, body);
}
