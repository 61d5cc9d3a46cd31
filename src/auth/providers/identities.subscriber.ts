import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PHASE, TaskHandlers } from '../../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { IDENTITIES } from './identity.schema.js';

/** Deletes the identities of a deleted account, so that the person can register again. */
@Injectable()
export class IdentitiesSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'identities',
      lane: 'both',
      order: PHASE.children,
      run: ({ payload, deleteInBatches }) => deleteInBatches(IDENTITIES, { userId: payload }),
    });
  }
}
