import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { IsId, IsText, NOT_BLANK, OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { PostCardDto } from '../../posts/card/post-card.dto.js';
import { MAX_NOTE } from '../collection-item.schema.js';
import { MAX_ITEMS } from '../collection-rules.js';

/** neighbors, in this order */
const [BEFORE_IT, BEHIND_IT] = ['6650c3a2f1d2b3c4d5e6f706', '6650c3a2f1d2b3c4d5e6f707'];
const NOTE = 'Begin here: the cards are the programme.';

export class PutCollectionPostBody {
  @NullableField({
    type: String,
    nullable: true,
    description: 'shown with the post; null removes the note, an absent value keeps it',
    example: NOTE,
  })
  @TransformText(MAX_NOTE, trimAndCompose)
  @IsText({ min: 1, max: MAX_NOTE, pattern: NOT_BLANK, message: `must be 1 to ${MAX_NOTE} characters` })
  note?: string | null;

  @OptionalField({ description: 'inserts the post before this post of the collection', example: BEHIND_IT })
  @IsId()
  before?: string;

  @OptionalField({ description: 'inserts the post after this post of the collection', example: BEFORE_IT })
  @IsId()
  after?: string;
}

/** Most clients name one neighbor. */
export const PUT_POST_EXAMPLES = { next: { summary: 'before another post', value: { note: NOTE, before: BEHIND_IT } } };

class ItemCountDto {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    maximum: MAX_ITEMS,
    description: 'number of posts in the collection after the change',
    example: 12,
  })
  postsCount!: number;
}

export class PlacedPostDto extends ItemCountDto {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_ITEMS,
    description: 'position of the post after the change, starting at 1',
    example: 3,
  })
  position!: number;
}

export class RemovedPostDto extends ItemCountDto {}

export class CollectionPostDto {
  @ApiProperty()
  post!: PostCardDto;

  @ApiProperty({ type: String, nullable: true, minLength: 1, maxLength: MAX_NOTE, example: NOTE })
  note!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-05-01T09:30:00.000Z' })
  addedAt!: string;
}

export class CollectionPostPage extends PageOf(CollectionPostDto) {}
