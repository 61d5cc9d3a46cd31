import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { MAX_PUBLIC_REASON } from '../../moderation/action-texts.js';
import { ModerationActionDto, toModerationAction } from '../../moderation/moderation-action.dto.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { APPEAL_STATES, type AppealState, MAX_APPEAL } from '../appeal-rules.js';
import type { Appeal } from '../appeal.schema.js';
import { TargetSummaryDto } from '../../reports/target-summary.dto.js';
import { AuthorDto } from '../../users/author.dto.js';
import type { ShownAppeal } from '../appeals.service.js';
import { APPEAL_TEXT } from './appeal-input.dto.js';

const TIME = '2026-11-29T10:00:00.000Z';

/** An appeal for the account that made it. */
export class OwnAppealDto {
  @ApiProperty({ enum: APPEAL_STATES, example: 'open' })
  state!: AppealState;

  @ApiProperty({ maxLength: MAX_APPEAL, example: APPEAL_TEXT })
  text!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, nullable: true, example: null })
  decidedAt!: Date | null;

  @ApiProperty({
    maxLength: MAX_PUBLIC_REASON,
    description: 'of the decision; empty while the appeal is open',
    example: '',
  })
  reason!: string;
}

/** An appeal for moderators. */
export class AppealDto extends OwnAppealDto {
  @ApiProperty()
  action!: ModerationActionDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, description: 'the affected account', example: EXAMPLE.userIds[0] })
  userId!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'the moderator; null while the appeal is open, or for the operator',
    example: null,
  })
  decidedBy!: string | null;

  @ApiProperty({ type: AuthorDto, nullable: true, description: '`userId`; null if it was deleted' })
  account!: AuthorDto | null;

  @ApiProperty({ type: AuthorDto, nullable: true, description: 'who acted; null for the operator and the system' })
  moderator!: AuthorDto | null;

  @ApiProperty({ type: TargetSummaryDto, nullable: true, description: 'of the action, now; null if it was deleted' })
  content!: TargetSummaryDto | null;
}

export class AppealPage extends PageOf(AppealDto) {}

export function toOwnAppeal({ state, text, seq, decidedAt, reason }: Appeal): OwnAppealDto {
  return { state, text, createdAt: seq.getTimestamp(), decidedAt, reason };
}

export function toAppeal({ appeal, action, account, moderator, content }: ShownAppeal): AppealDto {
  const { userId, decidedBy } = appeal;
  const ids = { userId: userId.toHexString(), decidedBy: decidedBy?.toHexString() ?? null };
  return { ...toOwnAppeal(appeal), action: toModerationAction(action), ...ids, account, moderator, content };
}
