import { Body, Controller, Delete, Get, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CodedError } from '../common/errors.js';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { MarkRead, NotificationSettingsDto, UpdateNotificationSettings } from './dto/notification-input.dto.js';
import { NOTIFICATION_ID_SCHEMA, NotificationPage } from './dto/notification.dto.js';
import { NotificationsQuery } from './dto/notifications.query.js';
import { NOTIFICATION_ID } from './notification-id.js';
import { NotificationsService } from './notifications.service.js';
import { UnreadDto } from './unread.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

const NotificationId = IdParam(
  { name: 'id', description: 'of the notification', ...NOTIFICATION_ID_SCHEMA },
  {
    transform: (id: unknown): string => {
      if (typeof id === 'string' && NOTIFICATION_ID.pattern.test(id)) return id;
      const message = 'must be 36 characters of A-Z, a-z, 0-9, - and _';
      throw new CodedError('invalid_id', `id ${message}.`, { fields: [{ field: 'id', message }] });
    },
  },
);
const IDEMPOTENT = 'Idempotent, also if it was already deleted.';

@ApiTags('notifications')
@Controller('notifications')
@TokenScope('notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List my notifications',
    description:
      'Latest first, without accounts and posts that you block, mute, hide or filter. All events of a kind for the same target and day (UTC) are one notification, with current accounts and counts. ' +
      'Notifications expire after 90 days.',
  })
  @ApiOkResponse({ type: NotificationPage })
  listNotifications(@CurrentViewer() viewer: Viewer, @Query() query: NotificationsQuery): Promise<NotificationPage> {
    return this.notifications.list(viewer, query);
  }

  @Get('unread-count')
  @ApiOperation({ summary: 'Get the number of unread notifications', description: 'At most 100.' })
  @ApiOkResponse({ type: UnreadDto })
  getUnreadCount(@CurrentViewer() viewer: Viewer): Promise<UnreadDto> {
    return this.notifications.unreadCount(viewer);
  }

  @ForRestricted('self')
  @Put('read')
  @ApiOperation({
    summary: 'Mark notifications as read',
    description: 'All notifications, or those up to `upTo` in the order of the list. Idempotent: read ones stay read.',
  })
  @ApiOkResponse({ type: UnreadDto })
  @ApiProblems('notification_not_found')
  markNotificationsRead(@CurrentViewer() viewer: Viewer, @Body() { upTo }: MarkRead): Promise<UnreadDto> {
    return this.notifications.markRead(viewer, upTo);
  }

  @Get('settings')
  @ApiOperation({
    summary: 'Get my notification settings',
    description: 'Settings that were never changed have their defaults.',
  })
  @ApiOkResponse({ type: NotificationSettingsDto })
  getNotificationSettings(@CurrentViewer() viewer: Viewer): Promise<NotificationSettingsDto> {
    return this.subscriptions.settings(viewer);
  }

  @ForRestricted('self')
  @Patch('settings')
  @ApiOperation({
    summary: 'Update my notification settings',
    description: 'Omitted fields stay unchanged. Changes apply to future events.',
  })
  @ApiOkResponse({ type: NotificationSettingsDto })
  updateNotificationSettings(
    @CurrentViewer() viewer: Viewer,
    @Body() changes: UpdateNotificationSettings,
  ): Promise<NotificationSettingsDto> {
    return this.subscriptions.changeSettings(viewer, changes);
  }

  @ForRestricted('self')
  @Put(':id/read')
  @NoContent('read')
  @ApiOperation({ summary: 'Mark a notification as read', description: IDEMPOTENT })
  @ApiProblems('notification_not_found')
  markNotificationRead(@CurrentViewer() viewer: Viewer, @NotificationId id: string): Promise<void> {
    return this.notifications.markOne(viewer, id, 'read');
  }

  @ForRestricted('self')
  @Delete(':id/read')
  @NoContent('unread')
  @ApiOperation({ summary: 'Mark a notification as unread', description: IDEMPOTENT })
  @ApiProblems('notification_not_found')
  markNotificationUnread(@CurrentViewer() viewer: Viewer, @NotificationId id: string): Promise<void> {
    return this.notifications.markOne(viewer, id, 'unread');
  }

  @ForRestricted('self')
  @Delete(':id')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete a notification',
    description: `Later events of the same day create a new notification. ${IDEMPOTENT}`,
  })
  @ApiProblems('notification_not_found')
  deleteNotification(@CurrentViewer() viewer: Viewer, @NotificationId id: string): Promise<void> {
    return this.notifications.delete(viewer, id);
  }
}
