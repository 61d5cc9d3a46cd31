import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HANDLER_ORDER, OutboxHandlers } from '../../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { IDENTITIES } from './identity.schema.js';

/** Deletes the identities of a deleted account, so that the person can register again. */
@Injectable()
export class IdentitiesCleanup implements OnModuleInit {
  constructor(private readonly handlers: OutboxHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'identities',
      stage: 'both',
      order: HANDLER_ORDER.children,
      run: ({ payload, deleteInBatches }) => deleteInBatches(IDENTITIES, { userId: payload }),
    });
  }
}
