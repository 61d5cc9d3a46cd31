import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PHASE, repeatUntilEmpty, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED, INTERESTS_CHANGED } from '../users/users.events.js';
import { TagFollowsService } from './tag-follows.service.js';

/** Follows the interests of a profile. Deletes the follows of a deleted account. */
@Injectable()
export class TagsSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly follows: TagFollowsService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.mongo.hook(INTERESTS_CHANGED, ({ userId, interests }, tx) => this.follows.add(userId, interests, tx));
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'tags',
      lane: 'both',
      order: PHASE.children,
      run: ({ payload, batchSize, throttle }) =>
        repeatUntilEmpty(throttle, () => this.follows.deleteOf(payload, batchSize)),
    });
  }
}
