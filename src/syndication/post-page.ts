import { htmlText } from '../common/html-text.js';
import { metaOf, type SharedPost } from './post-meta.js';
import type { SiteAddresses } from './site-addresses.js';

/** The page runs no scripts, loads no resources and sends no forms. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Returns a page of a post for clients without scripts: crawlers, and sites that show link cards. */
export function postPage(post: SharedPost, addresses: SiteAddresses): string {
  const { title, description, url, canonicalUrl, openGraph, twitter, citation, jsonLd } = metaOf(post, addresses);
  const { author, subtitle, contentPreview, createdAt, slug } = post.card;
  const feed = `${addresses.api}/v1/users/${author.username}/feed.atom`;
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${htmlText(title)}</title>`,
    meta('name', 'description', description),
    // A visitor can read a post that is not public only if it is unlisted.
    ...(post.isListed ? [] : [meta('name', 'robots', 'noindex')]),
    link('canonical', canonicalUrl),
    link('alternate', addresses.oembed(slug, 'json'), 'application/json+oembed'),
    link('alternate', addresses.oembed(slug, 'xml'), 'text/xml+oembed'),
    link('alternate', feed, 'application/atom+xml'),
    ...openGraph.map(({ name, content }) => meta('property', name, content)),
    ...[...twitter, ...citation].map(({ name, content }) => meta('name', name, content)),
    `<script type="application/ld+json">${JSON.stringify(jsonLd).replace(/</g, '\\u003c')}</script>`,
  ];
  const name = htmlText(author.fullName || author.username);
  const body = [
    `<h1 dir="auto">${htmlText(title)}</h1>`,
    ...(subtitle === null ? [] : [`<p dir="auto">${htmlText(subtitle)}</p>`]),
    `<p><a href="${htmlText(addresses.profile(author.username))}">${name}</a>, <time>${createdAt.slice(0, 10)}</time></p>`,
    `<p dir="auto">${htmlText(contentPreview)}</p>`,
    ...(addresses.hasSite ? [`<p><a href="${htmlText(url)}">${htmlText(post.siteName)}</a></p>`] : []),
  ];
  return `<!doctype html>\n<html>\n<head>\n${head.join('\n')}\n</head>\n<body>\n${body.join('\n')}\n</body>\n</html>\n`;
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${htmlText(name)}" content="${htmlText(content)}">`;
}

function link(rel: string, href: string, type?: string): string {
  const typed = type === undefined ? '' : ` type="${type}"`;
  return `<link rel="${rel}"${typed} href="${htmlText(href)}">`;
}
