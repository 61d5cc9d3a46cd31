// Webhooks: programs of an account receive what happens to its posts, comments and followers, and those of admins what happens on the site
// (standardwebhooks.com). The subscribers add a delivery and a task with the event, or with its task or fact; the sender calls the receiver
// from lanes of the work queue with places per account and host. The module owns webhooks, their secrets and 30 days of deliveries.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { ActivityModule } from '../activity/activity.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { EventsModule } from '../platform/events/events.module.js';
import { OutgoingModule } from '../platform/safe-http/outgoing.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountEventsSubscriber } from './account-events.subscriber.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookReceiversService } from './webhook-receivers.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';
import { Webhook, WebhookDelivery, WebhookDeliverySchema, WebhookSchema } from './webhook.schema.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhooksSubscriber } from './webhooks.subscriber.js';

@Module({
  imports: [
    IdempotencyModule,
    MongooseModule.forFeature([
      { name: Webhook.name, schema: WebhookSchema },
      { name: WebhookDelivery.name, schema: WebhookDeliverySchema },
    ]),
    ActivityModule,
    AuthModule,
    CommentsModule,
    EventsModule,
    ModerationModule,
    OutgoingModule,
    PostsModule,
    UsersModule,
  ],
  controllers: [WebhooksController],
  providers: [
    WebhooksService,
    WebhookReceiversService,
    WebhookDeliveriesService,
    WebhookSenderService,
    WebhooksSubscriber,
    AccountEventsSubscriber,
  ],
})
export class WebhooksModule {}
