// Actions of moderators on content and accounts, and appeals. ActionsService performs an action on a target that its module has registered
// (ModerationTargets), in one transaction with its row of the log (moderation), the decision of the case (reports) and the notification (activity). The
// module owns the appeals; OwnModerationService shows the affected account its actions. CLI commands call ActionsService as the operator.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { UsersModule } from '../users/users.module.js';
import { ActionEffectsService } from './action-effects.service.js';
import { ActionMailsService } from './action-mails.service.js';
import { ActionsController } from './actions.controller.js';
import { ActionsService } from './actions.service.js';
import { ActionsSubscriber } from './actions.subscriber.js';
import { Appeal, AppealSchema } from './appeal.schema.js';
import { AppealsController } from './appeals.controller.js';
import { AppealsService } from './appeals.service.js';
import { ModerationSummaryController } from './moderation-summary.controller.js';
import { OwnModerationController } from './own-moderation.controller.js';
import { OwnModerationService } from './own-moderation.service.js';
import { ReversedAppealsService } from './reversed-appeals.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Appeal.name, schema: AppealSchema }]),
    ActivityModule,
    AuthModule,
    ModerationModule,
    PostsModule,
    RegistrationModule,
    ReportsModule,
    UsersModule,
    IdempotencyModule,
    MailModule,
  ],
  controllers: [ActionsController, AppealsController, ModerationSummaryController, OwnModerationController],
  providers: [
    ActionsService,
    ActionEffectsService,
    ActionMailsService,
    AppealsService,
    ReversedAppealsService,
    OwnModerationService,
    ActionsSubscriber,
  ],
  exports: [ActionsService, AppealsService],
})
export class ActionsModule {}
