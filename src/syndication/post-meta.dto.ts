import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { PREVIEW_LENGTH } from '../rendering/visible-text.js';
import { MAX_TITLE } from '../posts/post-rules.js';

const URL = 'https://example.org/p/notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708';

export class MetaTagDto {
  @ApiProperty({ maxLength: 64, example: 'og:title' })
  name!: string;

  @ApiProperty({ maxLength: 4_000, example: 'Notes on the Analytical Engine' })
  content!: string;
}

/** The metadata of a post's page for other sites. */
export class PostMetaDto {
  @ApiProperty({ maxLength: MAX_TITLE, example: 'Notes on the Analytical Engine' })
  title!: string;

  @ApiProperty({ maxLength: PREVIEW_LENGTH, example: 'The Analytical Engine weaves algebraic patterns.' })
  description!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.url, maxLength: 4_000, description: 'URL of the page of the post', example: URL })
  url!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.url, maxLength: 4_000, description: 'for `<link rel="canonical">`', example: URL })
  canonicalUrl!: string;

  @ApiProperty({ description: 'false: the page needs `noindex`; lists and the sitemap omit the post', example: true })
  isListed!: boolean;

  @ApiProperty({ type: [MetaTagDto], maxItems: 20, description: 'Open Graph: for `<meta property="…">`' })
  openGraph!: MetaTagDto[];

  @ApiProperty({ type: [MetaTagDto], maxItems: 10, description: 'for `<meta name="…">`' })
  twitter!: MetaTagDto[];

  @ApiProperty({
    type: [MetaTagDto],
    maxItems: 10,
    description: 'Google Scholar: for `<meta name="…">`. Of research papers and articles, else empty',
  })
  citation!: MetaTagDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'schema.org, for a script element of the type `application/ld+json`: escape `<` in it',
    example: { '@context': 'https://schema.org', '@type': 'Article', headline: 'Notes on the Analytical Engine' },
  })
  jsonLd!: Record<string, unknown>;
}
