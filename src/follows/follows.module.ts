// Follows: who follows whom. The rows, both sides' counters with them in one transaction, the two public lists, and for the feed
// whom a reader follows, who follows an author, and a call in the transaction of each change (FollowsService). Writes go through one
// group commit per host. When an account ends, the outbox runs the handler registered here.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CounterRegistry } from '../audit/counter-registry.js';
import { UsersModule } from '../users/users.module.js';
import { FOLLOW_SOURCES } from './counter-sources.js';
import { FOLLOW_MODEL, FollowSchema } from './follow.schema.js';
import { FollowWriter } from './follow-writer.service.js';
import { FollowsController } from './follows.controller.js';
import { FollowsService } from './follows.service.js';
import { FollowsCleanup } from './follows.subscriber.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: FOLLOW_MODEL, schema: FollowSchema }]), UsersModule],
  controllers: [FollowsController],
  providers: [FollowsService, FollowWriter, FollowsCleanup],
  exports: [FollowsService],
})
export class FollowsModule {
  constructor(counters: CounterRegistry) {
    counters.addSources('users', ...FOLLOW_SOURCES);
  }
}
