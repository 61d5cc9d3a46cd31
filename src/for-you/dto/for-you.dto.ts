import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { IsId } from '../../platform/http/validation/text-rules.js';
import { PostCardDto } from '../../posts/card/post-card.dto.js';
import { FEEDBACK_KINDS, type FeedbackKind } from '../feedback-kinds.js';
import { type ForYouReason, REASONS } from '../rank-candidates.js';

export class ForYouCardDto extends PostCardDto {
  @ApiProperty({
    enum: REASONS,
    description:
      'why the post is here: by an account that you follow, liked by one, with a tag that you follow, similar to a post that you like, or popular',
    example: 'followed_author',
  })
  reason!: ForYouReason;
}

export class ForYouPageDto extends PageOf(ForYouCardDto) {}

export class FeedbackBody {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId })
  @IsId()
  postId!: string;

  @ApiProperty({ enum: FEEDBACK_KINDS, description: '`less` also hides the post from this feed', example: 'more' })
  @IsIn(FEEDBACK_KINDS, { message: 'kind must be more or less' })
  kind!: FeedbackKind;
}

export class FeedbackDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId })
  postId!: string;

  @ApiProperty({ enum: FEEDBACK_KINDS, example: 'more' })
  kind!: FeedbackKind;
}
