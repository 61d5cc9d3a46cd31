import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HANDLER_ORDER, OutboxHandlers } from '../../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { IDENTITIES } from './identity.schema.js';

/** Forgets whom an ended account was elsewhere, so that the person can begin anew. */
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
