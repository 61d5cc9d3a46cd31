import { Injectable, type OnModuleInit } from '@nestjs/common';
import { pairsOf } from '../common/pair-id.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { BLOCKS, MUTES } from './block.schema.js';
import { CONTENT_FILTERS } from './content-filter.schema.js';

/** Deletes the blocks and mutes by and of a deleted account, and its filters. */
@Injectable()
export class BlocksSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'blocks',
      lane: 'both',
      order: PHASE.children,
      run: (context) => this.deleteBlocksOf(context),
    });
  }

  private async deleteBlocksOf({ payload: userId, deleteInBatches }: HandlerContext): Promise<void> {
    for (const collection of [BLOCKS, MUTES]) {
      await deleteInBatches(collection, { _id: pairsOf(userId) });
      await deleteInBatches(collection, { otherId: userId });
    }
    await deleteInBatches(CONTENT_FILTERS, { ownerId: userId });
  }
}
