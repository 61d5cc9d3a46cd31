import type { Type } from '@nestjs/common';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsIn, IsInt, isTimeZone, Max, Min, ValidateBy } from 'class-validator';
import { WATCH_LEVELS, type WatchLevel } from '../../follows/subscriptions-port.js';
import { IsText, OptionalField } from '../../platform/http/validation/text-rules.js';
import { NOTIFICATION_ID } from '../notification-id.js';
import { KIND_OPTIONS, NOTIFICATION_KINDS, type NotificationKind } from '../notification-kinds.js';
import {
  DELIVERIES,
  type Delivery,
  DIGESTS,
  type NotificationSettings,
  SOURCES,
  THREADS,
} from '../notification-settings.js';
import { NOTIFICATION_ID_SCHEMA } from './notification.dto.js';

const { length, pattern } = NOTIFICATION_ID;

export class MarkRead {
  @OptionalField({
    ...NOTIFICATION_ID_SCHEMA,
    description: 'id of the latest notification to mark as read; all notifications if absent',
  })
  @IsText({ min: length, max: length, pattern, message: 'must be the id of a notification' })
  upTo?: string;
}

export class WatchPost {
  @ApiProperty({
    enum: WATCH_LEVELS,
    description: '`watching`: new comments; `muted`: no notifications about its comments and replies',
    example: 'watching',
  })
  @IsIn(WATCH_LEVELS, { message: 'level must be watching or muted' })
  level!: WatchLevel;
}

/** A class with a property of each kind. */
function DeliveryOfKinds(): Type<Record<NotificationKind, Delivery>> {
  class Deliveries {}
  for (const kind of NOTIFICATION_KINDS) {
    const { description } = KIND_OPTIONS[kind];
    ApiProperty({ enum: DELIVERIES, description, example: 'app' })(Deliveries.prototype, kind);
    IsIn(DELIVERIES, { message: '$property must be app, mail, push, mail_and_push or off' })(
      Deliveries.prototype,
      kind,
    );
  }
  return Deliveries as Type<Record<NotificationKind, Delivery>>;
}

const MAX_ZONE_LENGTH = 64;

/** Not an offset such as `+0530`, which only some versions of Node accept. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

function IsKnownZone(): PropertyDecorator {
  return ValidateBy({
    name: 'isKnownZone',
    // A schema cannot list the time zones.
    constraints: [{}],
    validator: {
      // All checks of a property run, even if the text is too long.
      validate: (value) => typeof value === 'string' && value.length <= MAX_ZONE_LENGTH && isTimeZone(value),
      defaultMessage: () => '$property must be a time zone of the IANA database',
    },
  });
}

export class NotificationSettingsDto extends DeliveryOfKinds() implements NotificationSettings {
  @ApiProperty({
    enum: THREADS,
    description: '`own`: `thread` is about my posts; `watched`: also about posts I watch',
    example: 'own',
  })
  @IsIn(THREADS, { message: 'threads must be own or watched' })
  threads!: (typeof THREADS)[number];

  @ApiProperty({
    enum: SOURCES,
    description: 'by any account, or only by accounts I follow; not for new posts, drafts and moderation',
    example: 'everyone',
  })
  @IsIn(SOURCES, { message: 'from must be everyone or followed' })
  from!: (typeof SOURCES)[number];

  @ApiProperty({ enum: DIGESTS, description: 'mails with unread notifications and top posts', example: 'off' })
  @IsIn(DIGESTS, { message: 'digest must be off, daily or weekly' })
  digest!: (typeof DIGESTS)[number];

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 23,
    description: 'of digests, in `timeZone`',
    example: 8,
  })
  @Min(0)
  @Max(23)
  @IsInt({ message: 'digestHour must be a whole number' })
  digestHour!: number;

  @ApiProperty({ description: 'of the IANA database', example: 'Europe/Berlin' })
  @IsText({ min: 1, max: MAX_ZONE_LENGTH, pattern: ZONE_NAME, message: 'must be a time zone' })
  @IsKnownZone()
  timeZone!: string;
}

/** A missing field stays unchanged. */
export class UpdateNotificationSettings extends PartialType(NotificationSettingsDto, { skipNullProperties: false }) {}
