import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import { OutboxHandlers } from '../../platform/outbox/outbox-handlers.js';
import { POST_EDITED, POST_LISTED } from '../posts.topics.js';
import { PostHtmlService } from './post-html.service.js';

/** Posts that are rendered at a time; what comes meanwhile is left to its first reader. */
const MAX_RUNNING = 8;
const STOP_TIMEOUT_MS = 1_000;

/** Renders what was published or edited before it is asked for. Texts that take long must not hold up the outbox, so it does not wait. */
@Injectable()
export class HtmlAhead implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('HtmlAhead');
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly handlers: OutboxHandlers,
    private readonly html: PostHtmlService,
  ) {}

  onModuleInit(): void {
    const handler = { name: 'posts: html', stage: 'foreground' } as const;
    for (const topic of [POST_LISTED, POST_EDITED])
      this.handlers.register(topic, { ...handler, run: ({ payload }) => Promise.resolve(this.start(payload)) });
  }

  async beforeApplicationShutdown(): Promise<void> {
    // what is not done by then is left to its reader
    await within(STOP_TIMEOUT_MS, Promise.all(this.running));
  }

  private start(id: ObjectId): void {
    if (this.running.size >= MAX_RUNNING) return;
    const run = this.prepare(id).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private async prepare(id: ObjectId): Promise<void> {
    try {
      await this.html.prepare(id);
    } catch (error) {
      // hidden or deleted since, or the pool is full
      if (!(error instanceof CodedError)) this.logger.warn(`${id.toHexString()} is left to a reader: ${String(error)}`);
    }
  }
}
