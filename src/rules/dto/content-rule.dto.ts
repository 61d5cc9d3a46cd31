import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { IsTitle } from '../../platform/http/validation/line.decorator.js';
import { IsSubsetOf, OptionalField } from '../../platform/http/validation/text-rules.js';
import type { ListedRule, RuleHit } from '../content-rule.schema.js';
import {
  HIT_TARGETS,
  type HitTarget,
  MAX_HITS,
  MAX_VALUE,
  RULE_ACTIONS,
  RULE_KINDS,
  RULE_SCOPES,
  type RuleAction,
  type RuleKind,
  type RuleScope,
} from '../rule-kinds.js';

const TIME = '2026-11-29T10:00:00.000Z';

export class CreateContentRule {
  @ApiProperty({
    enum: RULE_KINDS,
    description: '`word` and `phrase`: whole words; `domain`: links to the host and its subdomains',
    example: 'domain',
  })
  @IsIn(RULE_KINDS, { message: `kind must be one of ${RULE_KINDS.join(', ')}` })
  kind!: RuleKind;

  @ApiProperty({
    description: 'compared without case, accents, compatibility forms and look-alikes of Latin letters',
    example: 'shop.example',
  })
  @IsTitle(MAX_VALUE)
  value!: string;

  @ApiProperty({
    enum: RULE_ACTIONS,
    description:
      '`hold`: removed until a moderator restores it, with a case; `report`: a case; `reject`: 422 `content_rejected`; `limit`: limits the author until a moderator lifts it, with a case',
    example: 'hold',
  })
  @IsIn(RULE_ACTIONS, { message: `action must be one of ${RULE_ACTIONS.join(', ')}` })
  action!: RuleAction;

  @ApiProperty({
    isArray: true,
    description:
      'texts that it matches; `profile` and `collection` not with `hold`; `email`: new addresses of the domain, only for `domain` with `reject`',
    example: ['post', 'comment'],
  })
  @IsSubsetOf(RULE_SCOPES)
  scope!: RuleScope[];

  @OptionalField({ default: false, description: 'only stores the hits', example: true })
  @IsBoolean()
  isDryRun?: boolean;
}

/** Missing fields stay unchanged. */
export class UpdateContentRule extends PartialType(CreateContentRule, { skipNullProperties: false }) {}

export class ContentRuleDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.ruleId })
  id!: string;

  @ApiProperty({ enum: RULE_KINDS, example: 'phrase' })
  kind!: RuleKind;

  @ApiProperty({ minLength: 1, maxLength: MAX_VALUE, example: 'buy followers' })
  value!: string;

  @ApiProperty({ enum: RULE_ACTIONS, example: 'report' })
  action!: RuleAction;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...RULE_SCOPES] },
    minItems: 1,
    maxItems: RULE_SCOPES.length,
    example: ['post', 'comment', 'profile'],
  })
  scope!: RuleScope[];

  @ApiProperty({ example: true })
  isDryRun!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  updatedAt!: Date;
}

export class ContentRulePage extends PageOf(ContentRuleDto) {}

export class RuleHitDto {
  @ApiProperty({ enum: HIT_TARGETS, example: 'comment' })
  targetKind!: HitTarget;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'null for a rejected text that was new',
    example: EXAMPLE.commentId,
  })
  targetId!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, description: 'the author', example: EXAMPLE.userIds[1] })
  userId!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  at!: Date;
}

export class RuleHitListDto {
  @ApiProperty({ type: [RuleHitDto], maxItems: MAX_HITS })
  data!: RuleHitDto[];
}

export function toContentRule({ _id, ...row }: ListedRule): ContentRuleDto {
  const { kind, value, action, scope, isDryRun, createdAt, updatedAt } = row;
  return { id: _id.toHexString(), kind, value, action, scope, isDryRun, createdAt, updatedAt };
}

export function toRuleHit({ targetKind, targetId, userId, at }: RuleHit): RuleHitDto {
  return { targetKind, targetId: targetId?.toHexString() ?? null, userId: userId.toHexString(), at };
}
