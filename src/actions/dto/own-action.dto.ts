import { ApiProperty } from '@nestjs/swagger';
import { MAX_ITEMS } from '../../collections/collection-rules.js';
import { DisclosedActionDto, toDisclosedAction } from '../../moderation/moderation-action.dto.js';
import type { LoggedAction } from '../../moderation/moderation-log.service.js';
import { plainTexts, type StoredTexts } from '../../moderation/removed-texts.service.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { isAppealable } from '../appeal-rules.js';
import type { Appeal } from '../appeal.schema.js';
import { OwnAppealDto, toOwnAppeal } from './appeal.dto.js';

/** ten links */
const MAX_TEXT = 25_000;

export class RemovedTextDto {
  @ApiProperty({ maxLength: 24, description: 'field of the profile, or id of the post', example: 'bio' })
  name!: string;

  @ApiProperty({ maxLength: MAX_TEXT, example: 'Cheap followers at shop.example.' })
  text!: string;
}

/** An action for the affected account. */
export class OwnActionDto extends DisclosedActionDto {
  @ApiProperty({ description: 'whether a later action undid it', example: false })
  isReversed!: boolean;

  @ApiProperty({ description: 'whether `POST /v1/appeals` accepts an appeal', example: true })
  canAppeal!: boolean;

  @ApiProperty({
    type: [RemovedTextDto],
    maxItems: MAX_ITEMS,
    description: 'what a removal of a profile or notes has emptied, while it can be restored',
  })
  removedTexts!: RemovedTextDto[];

  @ApiProperty({ type: OwnAppealDto, nullable: true })
  appeal!: OwnAppealDto | null;
}

export class OwnActionPage extends PageOf(OwnActionDto) {}

export function toOwnAction(
  action: LoggedAction,
  isReversed: boolean,
  appeal: Appeal | null,
  removed: StoredTexts | undefined,
  showsNames: boolean,
): OwnActionDto {
  const canAppeal = appeal === null && isAppealable(action, isReversed, new Date());
  return {
    ...toDisclosedAction(action, showsNames),
    isReversed,
    canAppeal,
    removedTexts: removed ? plainTexts(removed) : [],
    appeal: appeal && toOwnAppeal(appeal),
  };
}
