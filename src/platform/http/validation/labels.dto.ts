import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsHttpsUrl } from './web-url.decorator.js';
import { IsTagList } from './tags.decorator.js';
import { MayBeAbsent } from './text-rules.js';

/** of one post, of one collection */
export const MAX_TAGS = 5;

/** What a post and a collection are found and shown by. */
export class Labels {
  @ApiPropertyOptional({
    type: [String],
    description: 'letters, digits and hyphens; kept in lower case, each once',
    example: ['mathematics', 'history'],
  })
  @MayBeAbsent()
  @IsTagList(MAX_TAGS)
  tags?: string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'https, without credentials; stored as the URL standard writes it',
    example: 'https://images.example.org/engine.webp',
  })
  @IsOptional()
  @IsHttpsUrl()
  thumbnailUrl?: string | null;
}
