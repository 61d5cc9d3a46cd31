import { ApiProperty } from '@nestjs/swagger';
import { DisclosedActionDto, toDisclosedAction } from '../../moderation/moderation-action.dto.js';
import type { LoggedAction } from '../../moderation/moderation-log.service.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { isAppealable } from '../appeal-rules.js';
import type { Appeal } from '../appeal.schema.js';
import { OwnAppealDto, toOwnAppeal } from './appeal.dto.js';

/** An action for the affected account. */
export class OwnActionDto extends DisclosedActionDto {
  @ApiProperty({ description: 'whether a later action undid it', example: false })
  isReversed!: boolean;

  @ApiProperty({ description: 'whether `POST /v1/appeals` accepts an appeal', example: true })
  canAppeal!: boolean;

  @ApiProperty({ type: OwnAppealDto, nullable: true })
  appeal!: OwnAppealDto | null;
}

export class OwnActionPage extends PageOf(OwnActionDto) {}

export function toOwnAction(
  action: LoggedAction,
  isReversed: boolean,
  appeal: Appeal | null,
  showsNames: boolean,
): OwnActionDto {
  const canAppeal = appeal === null && isAppealable(action, isReversed, new Date());
  return { ...toDisclosedAction(action, showsNames), isReversed, canAppeal, appeal: appeal && toOwnAppeal(appeal) };
}
