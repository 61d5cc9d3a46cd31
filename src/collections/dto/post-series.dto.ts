import { ApiProperty } from '@nestjs/swagger';
import { PostCardDto } from '../../posts/card/post-card.dto.js';
import { MAX_ITEMS } from '../collection-rules.js';
import { CollectionDto } from '../collection.dto.js';

const part = { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ITEMS } as const;

export class PostSeriesDto {
  @ApiProperty({ description: 'the series' })
  collection!: CollectionDto;

  @ApiProperty({ ...part, description: 'position of the post in the series, starting at 1', example: 2 })
  index!: number;

  @ApiProperty({ ...part, description: 'number of posts of the series that you can read', example: 5 })
  count!: number;

  @ApiProperty({ type: PostCardDto, nullable: true, description: 'null for the first part' })
  previous!: PostCardDto | null;

  @ApiProperty({ type: PostCardDto, nullable: true, description: 'null for the last part' })
  next!: PostCardDto | null;
}
