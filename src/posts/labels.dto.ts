import { IsImageUrl } from '../platform/http/validation/web-url.decorator.js';
import { IsTagList } from '../platform/http/validation/tags.decorator.js';
import { IsId, OptionalField, NullableField } from '../platform/http/validation/text-rules.js';

/** maximum tags of a post or collection */
export const MAX_TAGS = 5;

/** The labels by which posts and collections are found and shown. */
export class Labels {
  @OptionalField({
    type: [String],
    description: 'letters, digits and hyphens; stored in lower case without duplicates',
    example: ['mathematics', 'history'],
  })
  @IsTagList(MAX_TAGS)
  tags?: string[];

  @NullableField({
    type: String,
    nullable: true,
    description: 'https, without credentials, or the address of an image of yours',
    example: null,
  })
  @IsImageUrl()
  thumbnailUrl?: string | null;

  @NullableField({
    type: String,
    nullable: true,
    description: 'the id of an image of yours; takes precedence over `thumbnailUrl`, null does not',
    example: null,
  })
  @IsId()
  thumbnailMediaId?: string | null;
}
