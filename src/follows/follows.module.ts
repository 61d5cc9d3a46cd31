// Follows between accounts. FollowsService writes rows and the counters of both sides in one transaction, through one group commit per
// host. FollowsService also has the two public lists, and for the feed the followed accounts and the followers of an author; each change
// runs the hooks of FOLLOWS_CHANGED. The work queue deletes the follows of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { UsersModule } from '../users/users.module.js';
import { FOLLOW_SOURCES } from './counter-sources.js';
import { Follow, FollowSchema } from './follow.schema.js';
import { FollowWriterService } from './follow-writer.service.js';
import { FollowsController } from './follows.controller.js';
import { FollowsService } from './follows.service.js';
import { FollowsSubscriber } from './follows.subscriber.js';
import { SuggestionsService } from './suggestions.service.js';
import { SubscriptionsPort } from './subscriptions-port.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Follow.name, schema: FollowSchema }]),
    ActivityModule,
    BlocksModule,
    UsersModule,
    AuditModule,
  ],
  controllers: [FollowsController],
  providers: [FollowsService, SuggestionsService, FollowWriterService, FollowsSubscriber, SubscriptionsPort],
  exports: [FollowsService, SubscriptionsPort],
})
export class FollowsModule {
  constructor(counters: CounterRegistry) {
    counters.addSources('users', ...FOLLOW_SOURCES);
  }
}
