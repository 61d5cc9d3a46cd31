import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { RemovalDto } from '../moderation/removal.dto.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { PageOf } from '../platform/http/pagination/page.js';
import { MAX_TAGS } from '../posts/labels.dto.js';
import { TAG } from '../platform/http/validation/tags.decorator.js';
import { SLUG_ADDRESS } from '../posts/slugged-resource.js';
import { AuthorDto } from '../users/author.dto.js';
import { COLLECTION_KINDS, type CollectionKind, type CollectionStats, MAX_ITEMS } from './collection-rules.js';
import { MAX_COLLECTION_TITLE, MAX_DESCRIPTION } from './collection.schema.js';

const ID = EXAMPLE.collectionId;
const TIME = '2026-05-01T09:30:00.000Z';

export class CollectionStatsDto implements CollectionStats {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    maximum: MAX_ITEMS,
    description: 'number of its public posts',
    example: 12,
  })
  postsCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 31 })
  likesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 1 })
  dislikesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 8 })
  followersCount!: number;
}

export class CollectionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  id!: string;

  @ApiProperty({
    ...SLUG_ADDRESS,
    description: 'path segment of the collection: `<slug>-<id>`',
    example: `looms-and-engines-${ID}`,
  })
  slug!: string;

  @ApiProperty({ enum: COLLECTION_KINDS, example: 'list' })
  kind!: CollectionKind;

  @ApiProperty({ minLength: 1, maxLength: MAX_COLLECTION_TITLE, example: 'Looms and engines' })
  title!: string;

  @ApiProperty({ maxLength: MAX_DESCRIPTION, example: 'Machines that weave, in the order I met them.' })
  description!: string;

  @ApiProperty({ description: 'false: private; only its owner and moderators see it', example: true })
  isPublic!: boolean;

  @ApiProperty({ type: 'array', items: TAG, maxItems: MAX_TAGS, example: ['mathematics', 'history'] })
  tags!: string[];

  @ApiProperty({ ...RESPONSE_SCHEMAS.fileUrl, nullable: true, example: 'https://images.example.org/loom.webp' })
  thumbnailUrl!: string | null;

  @ApiProperty()
  owner!: AuthorDto;

  @ApiProperty()
  stats!: CollectionStatsDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'time of the last change of title, description, tags or visibility',
    example: TIME,
  })
  updatedAt!: string;

  @ApiPropertyOptional({
    description: 'only while a moderator has removed the collection: it is private until a moderator restores it',
  })
  removal?: RemovalDto;
}

export class OwnCollectionDto extends CollectionDto {
  @ApiPropertyOptional({
    description: 'whether it contains the post of `contains`; absent without that parameter',
    example: true,
  })
  isMember?: boolean;
}

export class CollectionPage extends PageOf(CollectionDto) {}

export class OwnCollectionPage extends PageOf(OwnCollectionDto) {}
