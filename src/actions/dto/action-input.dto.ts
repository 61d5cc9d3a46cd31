import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { MAX_PRIVATE_NOTE, MAX_PUBLIC_REASON } from '../../moderation/action-texts.js';
import { type Reason, REASONS } from '../../moderation/reasons.js';
import { IsId, IsOptionalNotNull, IsText, NOT_BLANK } from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { CASE_ID } from '../../reports/report-rules.js';
import { ACT_KINDS, ACT_TARGETS, type ActionRequest, type ActKind, type ActTarget } from '../action-rules.js';

/** A reason for the affected account, 1 to 500 characters. */
export function PublicReason(example: string): PropertyDecorator {
  const message = `must be 1 to ${MAX_PUBLIC_REASON} well-formed characters, not all of them blank`;
  return (target, key) => {
    ApiProperty({ type: String, description: 'plain text, for the affected account', example })(target, key);
    TransformText(MAX_PUBLIC_REASON, trimAndCompose)(target, key);
    IsText({ min: 1, max: MAX_PUBLIC_REASON, pattern: NOT_BLANK, message })(target, key);
  };
}

export class CreateModerationAction implements ActionRequest {
  @ApiProperty({
    enum: ACT_KINDS,
    description:
      '`remove`, `restore`: a post, comment or collection; `lock`, `unlock`: a post; others: an account; `lift` ends `limit`, `suspend` and `ban`',
    example: 'suspend',
  })
  @IsIn(ACT_KINDS, { message: `kind must be one of ${ACT_KINDS.join(', ')}` })
  kind!: ActKind;

  @ApiProperty({ enum: ACT_TARGETS, example: 'user' })
  @IsIn(ACT_TARGETS, { message: `targetKind must be one of ${ACT_TARGETS.join(', ')}` })
  targetKind!: ActTarget;

  @ApiProperty({ description: 'of the post, comment, collection or account', example: EXAMPLE.userIds[1] })
  @IsId()
  targetId!: string;

  @ApiProperty({ enum: REASONS, example: 'spam' })
  @IsIn(REASONS, { message: `reasonCode must be one of ${REASONS.join(', ')}` })
  reasonCode!: Reason;

  @PublicReason('You sent the same advertisement to many accounts.')
  publicReason!: string;

  @ApiPropertyOptional({ default: '', description: 'plain text, for moderators', example: 'The third time.' })
  @IsOptionalNotNull()
  @TransformText(MAX_PRIVATE_NOTE, trimAndCompose)
  @IsText({ min: 0, max: MAX_PRIVATE_NOTE, message: `must be at most ${MAX_PRIVATE_NOTE} well-formed characters` })
  privateNote?: string;

  @ApiPropertyOptional({
    description: 'RFC 3339 with an offset, only for `suspend` and `ban`; default: until `lift`',
    example: '2099-12-31T00:00:00Z',
  })
  @IsOptionalNotNull()
  @IsTime()
  until?: string;

  @ApiPropertyOptional({
    description:
      'a case about the account or its content, which closes; default: the open case of the target, except for `restore`, `unlock` and `lift`',
    example: `user-${EXAMPLE.userIds[1]}`,
  })
  @IsOptionalNotNull()
  @IsText({
    min: CASE_ID.minLength,
    max: CASE_ID.maxLength,
    pattern: CASE_ID.pattern,
    message: 'must be the id of a case',
  })
  caseId?: string;
}
