import { ApiProperty } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../../common/errors.js';
import { EXAMPLE } from '../../common/examples.js';
import { ModerationActionDto } from '../../moderation/moderation-action.dto.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { MAX_TARGETS } from '../action-rules.js';

/** What an action on several targets did to one of them. */
export class ActionOutcomeDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[1] })
  targetId!: string;

  @ApiProperty({ type: ModerationActionDto, nullable: true, description: 'null: no action, see `code`' })
  action!: ModerationActionDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    enum: [...Object.keys(ERROR_CODES), null],
    description: 'the error of this target; null with an action',
    example: null,
  })
  code!: ErrorCode | null;
}

export class ActionOutcomesDto {
  @ApiProperty({ type: [ActionOutcomeDto], maxItems: MAX_TARGETS, description: 'in the order of `targetIds`' })
  data!: ActionOutcomeDto[];
}
