// Accounts as others see them: profiles, counters, names, featured posts, top writers. Every other feature uses UsersService: for author
// snapshots, for accounts by name, and to move an account's counters inside its own transaction. ReceivedLikes adds likes of posts to
// their authors. Sign-in, e-mail addresses and the deletion of an account belong to auth.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { COUNTED_USERS } from './counter-sources.js';
import { ProfileRemovals } from './profile-removals.service.js';
import { ProfileService } from './profile.service.js';
import { ReceivedLikesChange, ReceivedLikesChangeSchema, WAITING_LIKES } from './received-likes.schema.js';
import { ReceivedLikes } from './received-likes.service.js';
import { User, USERS, UserSchema } from './user.schema.js';
import { UsersController } from './users.controller.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UserDirectory } from './user-directory.service.js';
import { UserNames } from './user-names.service.js';
import { UsersService } from './users.service.js';
import { AuthorsByMonth } from './authors-by-month.service.js';

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
    UserDirectory,
    UserNames,
    ProfileService,
    ProfileRemovals,
    ReceivedLikes,
    AuthorsByMonth,
  ],
  exports: [
    ProfileService,
    ProfileRemovals,
    UsersService,
    UserAccountsService,
    UserDirectory,
    UserNames,
    ReceivedLikes,
    AuthorsByMonth,
  ],
})
export class UsersModule {
  constructor(counters: CounterRegistry) {
    counters.addCollection(COUNTED_USERS);
    counters.addSources(USERS, WAITING_LIKES);
  }
}
