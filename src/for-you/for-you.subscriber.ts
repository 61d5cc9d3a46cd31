import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED, PERSONALISED_OFF } from '../users/users.events.js';
import { AffinitiesService } from './affinities.service.js';
import { AFFINITIES } from './affinities.schema.js';
import { SNAPSHOTS } from './feed-snapshot.schema.js';
import { FeedSnapshotsService } from './feed-snapshots.service.js';

/** Deletes the rows of an account that switches its personal feed off, or ends. */
@Injectable()
export class ForYouSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly affinities: AffinitiesService,
    private readonly snapshots: FeedSnapshotsService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.mongo.hook(PERSONALISED_OFF, async (userId, tx) => {
      await this.affinities.delete(userId, tx);
      await this.snapshots.deleteOf(userId, tx);
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'for you',
      lane: 'both',
      order: PHASE.children,
      run: async ({ payload, deleteInBatches }) => {
        await deleteInBatches(AFFINITIES, { _id: payload });
        await deleteInBatches(SNAPSHOTS, { userId: payload });
      },
    });
  }
}
