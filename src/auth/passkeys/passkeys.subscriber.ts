import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OutboxHandlers } from '../../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { PASSKEYS } from './passkey.schema.js';

/** Deletes the passkeys of a deleted account. */
@Injectable()
export class PasskeysCleanup implements OnModuleInit {
  constructor(private readonly handlers: OutboxHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'passkeys',
      stage: 'both',
      run: ({ payload: userId, deleteInBatches }) => deleteInBatches(PASSKEYS, { userId }),
    });
  }
}
