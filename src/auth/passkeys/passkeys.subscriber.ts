import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TaskHandlers } from '../../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { PASSKEYS } from './passkey.schema.js';

/** Deletes the passkeys of a deleted account. */
@Injectable()
export class PasskeysSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'passkeys',
      lane: 'both',
      run: ({ payload: userId, deleteInBatches }) => deleteInBatches(PASSKEYS, { userId }),
    });
  }
}
