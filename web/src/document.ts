import { assets } from './assets.js';
import type { SiteFacts } from './contract.js';
import type { Head } from './page.js';
import type { Texts } from './texts/en.js';

/** Writes a document around a rendered body. Everything else in it is escaped here. */
export function documentOf(head: Head, site: SiteFacts, texts: Texts, body: string): string {
  const { title, description, canonical, isIndexed = true, feed, next, oembed = [], jsonLd, style } = head;
  const script = head.script ?? (site.hasPages ? assets.public : undefined);
  const url = new URL(canonical, site.url).href;
  const openGraph = head.openGraph ?? [
    { name: 'og:type', content: 'website' },
    { name: 'og:site_name', content: site.name },
    { name: 'og:title', content: title ?? site.name },
    { name: 'og:url', content: url },
  ];
  const parts = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title === undefined ? site.name : `${title} – ${site.name}`)}</title>`,
    '<meta name="color-scheme" content="light dark">',
    ...(description === undefined ? [] : [meta('name', 'description', description)]),
    ...(isIndexed ? [] : [meta('name', 'robots', 'noindex')]),
    `<link rel="canonical" href="${escaped(url)}">`,
    ...(next === undefined ? [] : [`<link rel="next" href="${escaped(next)}">`]),
    ...(feed === undefined ? [] : [`<link rel="alternate" type="application/atom+xml" href="${escaped(feed)}">`]),
    ...oembed.map((href) => {
      const type = href.endsWith('xml') ? 'text/xml+oembed' : 'application/json+oembed';
      return `<link rel="alternate" type="${type}" href="${escaped(href)}">`;
    }),
    ...openGraph.map(({ name, content }) => meta('property', name, content)),
    ...[...(head.twitter ?? []), ...(head.citation ?? [])].map(({ name, content }) => meta('name', name, content)),
    `<link rel="icon" type="image/svg+xml" href="${assets.icon}">`,
    `<link rel="stylesheet" href="${assets.site}">`,
    ...(head.hasMath === true ? [`<link rel="stylesheet" href="${assets.formulas}">`] : []),
    ...(style === undefined ? [] : [`<style>${style}</style>`]),
    ...(site.stylesheet === undefined ? [] : [`<link rel="stylesheet" href="${escaped(site.stylesheet)}">`]),
    ...(jsonLd === undefined
      ? []
      : [`<script type="application/ld+json">${JSON.stringify(jsonLd).replace(/</g, '\\u003c')}</script>`]),
    ...(script === undefined ? [] : [`<script type="module" src="${script}"></script>`]),
  ];
  return `<!doctype html>\n<html lang="${escaped(texts.language)}">\n<head>\n${parts.join('\n')}\n</head>\n<body>${body}</body>\n</html>\n`;
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${escaped(name)}" content="${escaped(content)}">`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}
