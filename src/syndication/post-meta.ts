import type { PostCard } from '../posts/card/post-card.js';
import type { PostMetaDto } from './post-meta.dto.js';
import { sharedCard } from './shared-card.js';
import type { SiteAddresses } from './site-addresses.js';

/** The metadata of a post for other sites. */
export type SharedPost = { card: PostCard; canonicalUrl: string | null; isListed: boolean; siteName: string };

/** Returns pairs of name and content, without missing contents. */
function tagsOf(...pairs: [name: string, content: string | null][]): { name: string; content: string }[] {
  return pairs.flatMap(([name, content]) => (content === null ? [] : [{ name, content }]));
}

export function metaOf({ card, canonicalUrl, isListed, siteName }: SharedPost, addresses: SiteAddresses): PostMetaDto {
  const { createdAt, updatedAt } = card;
  const { url, title, summary: description, author, tags, imageUrl: image } = sharedCard(card, addresses);
  const canonical = canonicalUrl ?? url;
  return {
    title,
    description,
    url,
    canonicalUrl: canonical,
    isListed,
    openGraph: tagsOf(
      ['og:type', 'article'],
      ['og:site_name', siteName],
      ['og:title', title],
      ['og:description', description],
      ['og:url', canonical],
      ['og:image', image],
      ['article:published_time', createdAt],
      ['article:modified_time', updatedAt],
      ['article:author', author.url],
      ...tags.map((tag): [string, string] => ['article:tag', tag]),
    ),
    twitter: tagsOf(
      ['twitter:card', image === null ? 'summary' : 'summary_large_image'],
      ['twitter:title', title],
      ['twitter:description', description],
      ['twitter:image', image],
    ),
    citation: ['research-paper', 'article'].includes(card.type)
      ? tagsOf(
          ['citation_title', title],
          ['citation_author', author.name],
          ['citation_publication_date', createdAt.slice(0, 10).replaceAll('-', '/')],
          ['citation_fulltext_html_url', url],
        )
      : [],
    jsonLd: {
      '@context': 'https://schema.org',
      '@type': card.type === 'research-paper' ? 'ScholarlyArticle' : 'Article',
      headline: title,
      description,
      url: canonical,
      mainEntityOfPage: canonical,
      ...(image === null ? {} : { image }),
      datePublished: createdAt,
      dateModified: updatedAt,
      author: { '@type': 'Person', ...author },
      publisher: { '@type': 'Organization', name: siteName, url: addresses.home },
      keywords: tags,
      timeRequired: `PT${card.readTime}M`,
    },
  };
}
