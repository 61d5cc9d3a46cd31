// Account management for moderators and admins over HTTP: list accounts, read one, change roles, decide on registrations. The module owns
// no rows of these: accounts belong to users, roles and addresses to auth, pending registrations to registration, the log to moderation. It
// owns the figures of the site by day, which modules register with DailyCounts and a job counts.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { DailyCounts } from '../audit/daily-counts.js';
import { AuthModule } from '../auth/auth.module.js';
import { IdentitiesModule } from '../auth/providers/identities.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { MailCounts } from '../platform/mail/mail-counts.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { UsersModule } from '../users/users.module.js';
import { ManagedAccountsController } from './managed-accounts.controller.js';
import { ManagedAccountsService } from './managed-accounts.service.js';
import { RelatedAccountsService } from './related-accounts.service.js';
import { SignUpDecisionsService } from './sign-up-decisions.service.js';
import { SignUpsController } from './sign-ups.controller.js';
import { SiteDay, SiteDaySchema } from './site-day.schema.js';
import { SiteDaysJob } from './site-days.job.js';
import { SiteStatsController } from './site-stats.controller.js';
import { SiteStatsService } from './site-stats.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: SiteDay.name, schema: SiteDaySchema }]),
    ...[AuditModule, AuthModule, IdentitiesModule, JobsModule, MailModule, ModerationModule, RegistrationModule],
    UsersModule,
  ],
  controllers: [ManagedAccountsController, SignUpsController, SiteStatsController],
  providers: [ManagedAccountsService, RelatedAccountsService, SignUpDecisionsService, SiteDaysJob, SiteStatsService],
})
export class AdminModule {
  constructor(days: DailyCounts, mails: MailCounts) {
    days.add('mails', (_, { name }) => mails.sentOn(name));
  }
}
