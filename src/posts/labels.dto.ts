import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsImageUrl } from '../platform/http/validation/web-url.decorator.js';
import { IsTagList } from '../platform/http/validation/tags.decorator.js';
import { IsId, IsOptionalNotNull } from '../platform/http/validation/text-rules.js';

/** maximum tags of a post or collection */
export const MAX_TAGS = 5;

/** The labels by which posts and collections are found and shown. */
export class Labels {
  @ApiPropertyOptional({
    type: [String],
    description: 'letters, digits and hyphens; stored in lower case without duplicates',
    example: ['mathematics', 'history'],
  })
  @IsOptionalNotNull()
  @IsTagList(MAX_TAGS)
  tags?: string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'https, without credentials, or the address of an image of yours',
    example: null,
  })
  @IsOptional()
  @IsImageUrl()
  thumbnailUrl?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'the id of an image of yours; takes precedence over `thumbnailUrl`, null does not',
    example: null,
  })
  @IsOptional()
  @IsId()
  thumbnailMediaId?: string | null;
}
