// Notifications about actions on an account and its content, grouped by target and day. The writer builds groups from activity facts and new
// posts, in the transaction of the facts or task. A group stores a key and a time; pages read accounts and counts from the source rows. The
// module also owns read marks, settings, watched posts, bells, mails (single and digest) and unsubscribe links.
// ViewerModule reads the unread count.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { DraftsModule } from '../drafts/drafts.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { EventsModule } from '../platform/events/events.module.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { OutgoingModule } from '../platform/safe-http/outgoing.module.js';
import { SiteSettingsModule } from '../platform/site-settings/site-settings.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { UsersModule } from '../users/users.module.js';
import { DigestJob } from './mails/digest.job.js';
import { MentionLimitsService } from './mention-limits.service.js';
import { NotificationContentsService } from './notification-contents.service.js';
import { NotificationMailsService } from './mails/notification-mails.service.js';
import { NotificationStreamController } from './stream/notification-stream.controller.js';
import { NotificationStreamsService } from './stream/notification-streams.service.js';
import { PushController } from './push/push.controller.js';
import { PushSenderService } from './push/push-sender.service.js';
import { PushSubscription, PushSubscriptionSchema } from './push/push-subscription.schema.js';
import { PushSubscriptionsService } from './push/push-subscriptions.service.js';
import { StreamTicketsService } from './stream/stream-tickets.service.js';
import { NotificationRecipientsService } from './notification-recipients.service.js';
import { NotificationWriterService } from './notification-writer.service.js';
import { Notification, NotificationSchema, NotificationState, NotificationStateSchema } from './notification.schema.js';
import { NotificationsController } from './notifications.controller.js';
import { OwnNotificationsService } from './own-notifications.service.js';
import { NotificationsService } from './notifications.service.js';
import { NotificationsSubscriber } from './notifications.subscriber.js';
import { Bell, BellSchema, PostWatch, PostWatchSchema } from './subscription.schema.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { UnsubscribeController } from './mails/unsubscribe.controller.js';
import { UnsubscribeLinks } from './mails/unsubscribe-links.js';
import { UnsubscribeService } from './mails/unsubscribe.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Notification.name, schema: NotificationSchema },
      { name: NotificationState.name, schema: NotificationStateSchema },
      { name: PostWatch.name, schema: PostWatchSchema },
      { name: Bell.name, schema: BellSchema },
      { name: PushSubscription.name, schema: PushSubscriptionSchema },
    ]),
    SiteSettingsModule,
    ActivityModule,
    AuthModule,
    BlocksModule,
    CollectionsModule,
    CommentsModule,
    DraftsModule,
    FeedModule,
    FollowsModule,
    InteractionsModule,
    ModerationModule,
    PostsModule,
    ReportsModule,
    UsersModule,
    EventsModule,
    MailModule,
    OutgoingModule,
    JobsModule,
  ],
  controllers: [
    NotificationsController,
    NotificationStreamController,
    PushController,
    SubscriptionsController,
    UnsubscribeController,
  ],
  providers: [
    NotificationsService,
    NotificationContentsService,
    NotificationRecipientsService,
    MentionLimitsService,
    NotificationMailsService,
    DigestJob,
    UnsubscribeLinks,
    UnsubscribeService,
    NotificationWriterService,
    NotificationStreamsService,
    StreamTicketsService,
    PushSenderService,
    PushSubscriptionsService,
    SubscriptionsService,
    OwnNotificationsService,
    NotificationsSubscriber,
  ],
  exports: [NotificationsService],
})
export class NotificationsModule {}
