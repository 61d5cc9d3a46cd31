import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ToStrictInt } from '../platform/http/pagination/page.query.js';
import { PostCardDto } from '../posts/card/post-card.dto.js';

const MAX_RELATED = 20;
export const DEFAULT_RELATED = 5;

const REASONS = ['tag', 'author', 'words'] as const;
export type Reason = (typeof REASONS)[number];

export class RelatedQuery {
  @ApiPropertyOptional({ default: DEFAULT_RELATED, example: 5 })
  @IsOptional()
  @ToStrictInt()
  @Min(1)
  @Max(MAX_RELATED)
  @IsInt({ message: 'limit must be a whole number' })
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
