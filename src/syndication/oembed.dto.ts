import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../common/examples.js';
import { RESPONSE_SCHEMAS, NO_SERVER } from '../platform/http/openapi/response-schemas.js';
import { IsText, NullableField } from '../platform/http/validation/text-rules.js';
import { MAX_TITLE } from '../posts/post-rules.js';

const OEMBED_FORMATS = ['json', 'xml'] as const;
export type OembedFormat = (typeof OEMBED_FORMATS)[number];

const PIXELS = { min: 1, max: 5, pattern: /^[1-9][0-9]{0,4}$/, message: 'must be a number of pixels' };
const URL = `${NO_SERVER}/p/notes-on-the-analytical-engine-${EXAMPLE.postId}`;

export class OembedQuery {
  @ApiProperty({ description: 'URL of a post, on the site or on this server', example: URL })
  @IsText({ min: 1, max: 2_048, message: 'must be an address' })
  url!: string;

  @NullableField({ enum: OEMBED_FORMATS, default: 'json' })
  @IsIn(OEMBED_FORMATS)
  format: OembedFormat = 'json';

  @NullableField({ description: 'pixels', example: '500' })
  @IsText(PIXELS)
  maxwidth?: string;

  @NullableField({ description: 'pixels', example: '300' })
  @IsText(PIXELS)
  maxheight?: string;
}

const SIZE = { type: 'integer', format: 'int32', minimum: 1, maximum: 99_999 } as const;

/** The fields of oEmbed 1.0. */
export class OembedDto {
  @ApiProperty({ type: String, enum: ['rich'], example: 'rich' })
  type!: 'rich';

  @ApiProperty({ type: String, enum: ['1.0'], example: '1.0' })
  version!: '1.0';

  @ApiProperty({ maxLength: MAX_TITLE, example: 'Notes on the Analytical Engine' })
  title!: string;

  @ApiProperty({ maxLength: 100, example: 'Ada Lovelace' })
  author_name!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.url, example: 'https://example.org/u/ada_lovelace' })
  author_url!: string;

  @ApiProperty({ maxLength: 100, example: 'OpenCanvas' })
  provider_name!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.url, example: 'https://example.org' })
  provider_url!: string;

  @ApiProperty({ ...SIZE, example: 600 })
  width!: number;

  @ApiProperty({ ...SIZE, example: 200 })
  height!: number;

  @ApiProperty({
    maxLength: 20_000,
    description: 'a quotation with a link; it runs and loads nothing',
    example: `<blockquote><p><a href="${URL}">Notes on the Analytical Engine</a></p></blockquote>`,
  })
  html!: string;
}
