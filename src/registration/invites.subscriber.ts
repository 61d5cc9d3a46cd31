import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { INVITES } from './invite.schema.js';

/** Deletes the invites of a deleted account. */
@Injectable()
export class InvitesSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'invites',
      lane: 'both',
      order: PHASE.children,
      run: ({ payload, deleteInBatches }) => deleteInBatches(INVITES, { creatorId: payload }),
    });
  }
}
