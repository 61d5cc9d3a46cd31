import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsBoolean, IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { MAX_PRIVATE_NOTE, MAX_PUBLIC_REASON } from '../../moderation/action-texts.js';
import { type Reason, REASONS } from '../../moderation/reasons.js';
import {
  IsId,
  IsOptionalNotNull,
  IsSubsetOf,
  IsText,
  NOT_BLANK,
  OptionalField,
} from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { CASE_ID } from '../../reports/report-rules.js';
import { PROFILE_FIELDS, type ProfileField } from '../../users/profile-removals.service.js';
import {
  ACT_KINDS,
  ACT_TARGETS,
  type ActionsRequest,
  type ActKind,
  type ActTarget,
  MAX_TARGETS,
} from '../action-rules.js';

/** A reason for the affected account, 1 to 500 characters. */
export function PublicReason(example: string): PropertyDecorator {
  const message = `must be 1 to ${MAX_PUBLIC_REASON} well-formed characters, not all of them blank`;
  return (target, key) => {
    ApiProperty({ type: String, description: 'plain text, for the affected account', example })(target, key);
    TransformText(MAX_PUBLIC_REASON, trimAndCompose)(target, key);
    IsText({ min: 1, max: MAX_PUBLIC_REASON, pattern: NOT_BLANK, message })(target, key);
  };
}

/** An optional list of 1 to 100 different ids. */
function AreIds(): PropertyDecorator {
  const length = [ArrayMinSize(1), ArrayMaxSize(MAX_TARGETS)];
  return applyDecorators(IsOptionalNotNull(), IsArray(), ...length, ArrayUnique(), IsId({ each: true }));
}

export class CreateModerationAction implements ActionsRequest {
  @ApiProperty({
    enum: ACT_KINDS,
    description:
      '`remove`, `restore`: content, notes, a profile or an image; `lock`, `unlock`: a post; others: an account; `lift` ends `limit`, `suspend` and `ban`',
    example: 'suspend',
  })
  @IsIn(ACT_KINDS, { message: `kind must be one of ${ACT_KINDS.join(', ')}` })
  kind!: ActKind;

  @ApiProperty({
    enum: ACT_TARGETS,
    description: '`note`: the notes of a collection; `profile`: texts, names and the image of an account',
    example: 'user',
  })
  @IsIn(ACT_TARGETS, { message: `targetKind must be one of ${ACT_TARGETS.join(', ')}` })
  targetKind!: ActTarget;

  @OptionalField({
    description: 'of the post, comment, image, collection (`note`) or account (`profile`)',
    example: EXAMPLE.userIds[1],
  })
  @IsId()
  targetId?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'up to 100 targets, in place of `targetId`',
    example: EXAMPLE.userIds,
  })
  @AreIds()
  targetIds?: string[];

  @ApiProperty({ enum: REASONS, example: 'spam' })
  @IsIn(REASONS, { message: `reasonCode must be one of ${REASONS.join(', ')}` })
  reasonCode!: Reason;

  @PublicReason('You sent the same advertisement to many accounts.')
  publicReason!: string;

  @OptionalField({ default: '', description: 'plain text, for moderators', example: 'The third time.' })
  @TransformText(MAX_PRIVATE_NOTE, trimAndCompose)
  @IsText({ min: 0, max: MAX_PRIVATE_NOTE, message: `must be at most ${MAX_PRIVATE_NOTE} well-formed characters` })
  privateNote?: string;

  @OptionalField({
    description: 'RFC 3339 with an offset, only for `limit`, `suspend` and `ban`; default: until `lift`',
    example: '2099-12-31T00:00:00Z',
  })
  @IsTime()
  until?: string;

  @OptionalField({ description: 'only for `suspend`: lists omit the content; default: as before', example: true })
  @IsBoolean({ message: 'hideContent must be true or false' })
  hideContent?: boolean;

  @OptionalField({
    default: false,
    description:
      'only for `limit`, `suspend` and `ban`: removes posts, comments and collections until the restriction ends',
    example: false,
  })
  @IsBoolean({ message: 'removeEverything must be true or false' })
  removeEverything?: boolean;

  @OptionalField({
    default: false,
    description:
      'only for `ban`: registrations from the networks of the account wait for approval until the ban ends, at most 30 days',
    example: false,
  })
  @IsBoolean({ message: 'includeNetwork must be true or false' })
  includeNetwork?: boolean;

  @OptionalField({
    description:
      'a case about the account or its content, which closes; default: the open case of the target, except for `restore`, `unlock` and `lift`',
    example: `user-${EXAMPLE.userIds[1]}`,
  })
  @IsText({
    min: CASE_ID.minLength,
    max: CASE_ID.maxLength,
    pattern: CASE_ID.pattern,
    message: 'must be the id of a case',
  })
  caseId?: string;

  @OptionalField({
    enum: PROFILE_FIELDS,
    isArray: true,
    description: 'only for `remove` of a profile; default: all but `username`, which becomes a generated name',
    example: ['bio', 'links'],
  })
  @IsArray()
  @IsSubsetOf(PROFILE_FIELDS)
  fields?: ProfileField[];

  @ApiPropertyOptional({
    type: [String],
    description: 'only for `remove` of notes: those on these posts; default: all of the collection',
    example: [EXAMPLE.postId],
  })
  @AreIds()
  postIds?: string[];
}
