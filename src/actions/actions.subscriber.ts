import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { APPEALS } from './appeal.schema.js';

/** Deletes the appeals of a deleted account. The log of actions stays. */
@Injectable()
export class ActionsSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'appeals',
      lane: 'both',
      run: ({ payload: userId, deleteInBatches }) => deleteInBatches(APPEALS, { userId }),
    });
  }
}
