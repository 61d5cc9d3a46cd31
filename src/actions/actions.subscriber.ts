import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RemovedTextsService } from '../moderation/removed-texts.service.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { CONTENT_FLAGGED } from '../rules/rules.events.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { ActionsService } from './actions.service.js';
import { APPEALS } from './appeal.schema.js';

/** Limits accounts by rules for texts. Deletes the appeals and removed texts of a deleted account; the log of actions stays. */
@Injectable()
export class ActionsSubscriber implements OnModuleInit {
  constructor(
    private readonly actions: ActionsService,
    private readonly texts: RemovedTextsService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(CONTENT_FLAGGED, {
      name: 'actions: rules',
      lane: 'foreground',
      run: async ({ payload: { ownerId, limitsOwner } }) => {
        if (limitsOwner) await this.actions.limitByRule(ownerId);
      },
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'appeals',
      lane: 'both',
      run: async ({ payload: userId, deleteInBatches }) => {
        await deleteInBatches(APPEALS, { userId });
        await this.texts.deleteOf(userId);
      },
    });
  }
}
