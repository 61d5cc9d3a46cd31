import { htmlText } from '../common/html-text.js';
import { element, XML_DECLARATION } from './markup.js';
import type { OembedDto } from './oembed.dto.js';
import type { SharedPost } from './post-meta.js';
import type { SiteAddresses } from './site-addresses.js';

const WIDTH = 600;
const HEIGHT = 200;

/** @param max in pixels */
export function oembedOf(
  { card }: SharedPost,
  addresses: SiteAddresses,
  max: { width: number | undefined; height: number | undefined },
): OembedDto {
  const { title, author, contentPreview, slug } = card;
  const name = author.fullName || author.username;
  const link = `<a href="${htmlText(addresses.post(slug))}">${htmlText(title)}</a>`;
  return {
    type: 'rich',
    version: '1.0',
    title,
    author_name: name,
    author_url: addresses.profile(author.username),
    provider_name: addresses.siteName,
    provider_url: addresses.home,
    width: Math.min(WIDTH, max.width ?? WIDTH),
    height: Math.min(HEIGHT, max.height ?? HEIGHT),
    html: `<blockquote><p>${link}</p><p>${htmlText(contentPreview)}</p><footer>${htmlText(name)}</footer></blockquote>`,
  };
}

export function oembedXml(oembed: OembedDto): string {
  const parts = Object.entries(oembed).map(([name, value]) => element(name, String(value)));
  return XML_DECLARATION + element('oembed', parts);
}
