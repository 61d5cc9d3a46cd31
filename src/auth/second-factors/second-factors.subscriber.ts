import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TaskHandlers } from '../../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { SECOND_FACTORS } from './second-factor.schema.js';

/** Deletes the authenticator app of a deleted account. */
@Injectable()
export class SecondFactorsSubscriber implements OnModuleInit {
  constructor(private readonly handlers: TaskHandlers) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'second factors',
      lane: 'both',
      run: ({ payload: _id, deleteInBatches }) => deleteInBatches(SECOND_FACTORS, { _id }),
    });
  }
}
