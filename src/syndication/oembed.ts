import { htmlText } from '../common/html-text.js';
import { element, XML_DECLARATION } from './markup.js';
import type { OembedDto } from './oembed.dto.js';
import type { SharedPost } from './post-meta.js';
import { sharedCard } from './shared-card.js';
import type { SiteAddresses } from './site-addresses.js';

const WIDTH = 600;
const HEIGHT = 200;

/** @param max in pixels */
export function oembedOf(
  { card, siteName }: SharedPost,
  addresses: SiteAddresses,
  max: { width: number | undefined; height: number | undefined },
): OembedDto {
  const { url, title, summary, author } = sharedCard(card, addresses);
  const link = `<a href="${htmlText(url)}">${htmlText(title)}</a>`;
  return {
    type: 'rich',
    version: '1.0',
    title,
    author_name: author.name,
    author_url: author.url,
    provider_name: siteName,
    provider_url: addresses.home,
    width: Math.min(WIDTH, max.width ?? WIDTH),
    height: Math.min(HEIGHT, max.height ?? HEIGHT),
    html: `<blockquote><p>${link}</p><p>${htmlText(summary)}</p><footer>${htmlText(author.name)}</footer></blockquote>`,
  };
}

export function oembedXml(oembed: OembedDto): string {
  const parts = Object.entries(oembed).map(([name, value]) => element(name, String(value)));
  return XML_DECLARATION + element('oembed', parts);
}
