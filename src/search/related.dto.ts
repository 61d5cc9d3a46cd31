import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsLimit } from '../platform/http/pagination/page.query.js';
import { PostCardDto } from '../posts/card/post-card.dto.js';

const MAX_RELATED = 20;
export const DEFAULT_RELATED = 5;

const REASONS = ['tag', 'author', 'words'] as const;
export type Reason = (typeof REASONS)[number];

export class RelatedQuery {
  @ApiPropertyOptional({ default: DEFAULT_RELATED, example: 5 })
  @IsLimit(MAX_RELATED)
  limit: number = DEFAULT_RELATED;
}

export class RelatedPostDto extends PostCardDto {
  @ApiProperty({
    enum: REASONS,
    description: '`tag`: with a common tag; `author`: by the same author; `words`: with common words',
    example: 'tag',
  })
  reason!: Reason;
}

export class RelatedPostsDto {
  @ApiProperty({ type: [RelatedPostDto], maxItems: MAX_RELATED })
  data!: RelatedPostDto[];
}
