import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { ACCOUNT_NETWORKS } from './account-network.schema.js';
import { INVITES } from './invite.schema.js';

/** Deletes the invites and networks of a deleted account. */
@Injectable()
export class RegistrationSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'registration',
      lane: 'both',
      order: PHASE.children,
      run: async ({ payload, deleteInBatches }) => {
        await deleteInBatches(ACCOUNT_NETWORKS, { _id: payload });
        await deleteInBatches(INVITES, { creatorId: payload });
      },
    });
  }
}
