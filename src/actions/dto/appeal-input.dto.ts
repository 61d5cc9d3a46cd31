import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { MailToken } from '../../auth/mail-token.js';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsId, IsText, NOT_BLANK, NullableField } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { APPEAL_STATES, type AppealState, MAX_APPEAL } from '../appeal-rules.js';
import { PublicReason } from './action-input.dto.js';

/** example */
export const APPEAL_TEXT = 'I named my sources in the first paragraph.';

export class CreateAppeal {
  @ApiProperty({ description: 'of the action', example: EXAMPLE.actionId })
  @IsId()
  actionId!: string;

  @ApiProperty({ description: 'plain text, for moderators', example: APPEAL_TEXT })
  @TransformText(MAX_APPEAL, trimAndCompose)
  @IsText({
    min: 1,
    max: MAX_APPEAL,
    pattern: NOT_BLANK,
    message: `must be 1 to ${MAX_APPEAL} well-formed characters, not all of them blank`,
  })
  text!: string;
}

export class AppealByMail extends PickType(CreateAppeal, ['text']) {
  @MailToken()
  token!: string;
}

export class DecideAppeal {
  @ApiProperty({ description: 'true ends the effect of the action', example: true })
  @IsBoolean({ message: 'isAccepted must be true or false' })
  isAccepted!: boolean;

  @PublicReason('You are right, and we are sorry.')
  publicReason!: string;
}

export class AppealsQuery extends PageQuery {
  @NullableField({ enum: APPEAL_STATES, default: 'open' })
  @IsIn(APPEAL_STATES, { message: `state must be one of ${APPEAL_STATES.join(', ')}` })
  state: AppealState = 'open';
}
