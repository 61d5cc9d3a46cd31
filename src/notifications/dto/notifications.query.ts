import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { DEFAULT_LIMIT, PageQuery, IsLimit } from '../../platform/http/pagination/page.query.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';
import { NOTIFICATION_KINDS, type NotificationKind } from '../notification-kinds.js';

const MAX_NOTIFICATIONS = 50;

export class NotificationsQuery extends PageQuery {
  @ApiPropertyOptional({ default: DEFAULT_LIMIT, description: 'number of items on a page', example: 10 })
  @IsLimit(MAX_NOTIFICATIONS)
  override limit: number = DEFAULT_LIMIT;

  @NullableField({ enum: NOTIFICATION_KINDS, description: 'of one kind' })
  @IsIn(NOTIFICATION_KINDS, { message: `kind must be one of ${NOTIFICATION_KINDS.join(', ')}` })
  kind?: NotificationKind;

  @NullableField({ default: false, description: 'only unread ones', example: true })
  @ToBoolean()
  @IsBoolean({ message: 'unread must be true or false' })
  unread: boolean = false;
}
