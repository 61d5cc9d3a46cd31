// Accounts as others see them: profiles, counters, names, featured posts, top writers. Every other feature uses UsersService: for author
// snapshots, for accounts by name, and to move an account's counters inside its own transaction. ReceivedLikesService adds likes of posts to
// their authors. Sign-in, e-mail addresses and the deletion of an account belong to auth.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { byId, DailyCounts } from '../audit/daily-counts.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { COUNTED_USERS } from './counter-sources.js';
import { ProfileRemovalsService } from './profile-removals.service.js';
import { ProfileService } from './profile.service.js';
import { ReceivedLikesChange, ReceivedLikesChangeSchema, WAITING_LIKES } from './received-likes.schema.js';
import { ReceivedLikesService } from './received-likes.service.js';
import { User, USERS, UserSchema } from './user.schema.js';
import { UsersController } from './users.controller.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UserDirectoryService } from './user-directory.service.js';
import { UserNamesService } from './user-names.service.js';
import { UsersService } from './users.service.js';
import { AuthorsByMonthService } from './authors-by-month.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: User.name, schema: UserSchema },
      { name: ReceivedLikesChange.name, schema: ReceivedLikesChangeSchema },
    ]),
    AuditModule,
    JobsModule,
    ModerationModule,
    RulesModule,
  ],
  controllers: [UsersController],
  providers: [
    UsersService,
    UserAccountsService,
    UserDirectoryService,
    UserNamesService,
    ProfileService,
    ProfileRemovalsService,
    ReceivedLikesService,
    AuthorsByMonthService,
  ],
  exports: [
    ProfileService,
    ProfileRemovalsService,
    UsersService,
    UserAccountsService,
    UserDirectoryService,
    UserNamesService,
    ReceivedLikesService,
    AuthorsByMonthService,
  ],
})
export class UsersModule {
  constructor(counters: CounterRegistry, days: DailyCounts) {
    counters.addCollection(COUNTED_USERS);
    counters.addSources(USERS, WAITING_LIKES);
    days.add('newAccounts', byId(USERS));
  }
}
