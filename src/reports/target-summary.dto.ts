import { ApiProperty } from '@nestjs/swagger';
import { TargetPostDto } from '../posts/card/post-card.dto.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { MAX_TITLE } from '../posts/post-rules.js';
import { MAX_EXCERPT, type TargetSummary } from './target-summaries.service.js';

/** What a list of moderators shows of content or an account now. */
export class TargetSummaryDto implements TargetSummary {
  @ApiProperty({
    type: String,
    maxLength: MAX_TITLE,
    description: 'title, name, or the title of the post of a comment',
    example: 'Rui Demo',
  })
  title!: string;

  @ApiProperty({
    type: String,
    maxLength: MAX_EXCERPT,
    description: 'the beginning of the text of a post or comment, of a description, a bio or removed texts',
    example: 'Reads, votes, saves and follows.',
  })
  excerpt!: string;

  @ApiProperty({ type: TargetPostDto, nullable: true, description: 'the post, or the post of the comment' })
  post!: TargetPostDto | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.fileUrl,
    nullable: true,
    description: 'of an image, or the removed image of a profile: the original for moderators; null for others',
    example: null,
  })
  imagePath!: string | null;
}
