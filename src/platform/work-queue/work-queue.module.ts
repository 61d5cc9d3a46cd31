// What a write leaves to be done, or tells other processes, is a row of its own transaction (Outbox). Rooms register what they do
// about a topic (OutboxHandlers); the jobs process of one host works the rows off at a limited rate, or `cli outbox run`; a request
// may finish the foreground pass of its own row (OutboxPasses). What a row only tells is heard by every process of every host
// (OutboxStream), which also knows whether it receives them.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OutboxHandlers } from './task-handlers.js';
import { OutboxPasses } from './task-runner.js';
import { OutboxWorker } from './task-worker.js';
import { OUTBOX_MODEL, OutboxSchema } from './task.schema.js';
import { OutboxStream } from '../events/event-stream.js';
import { Outbox } from './work-queue.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: OUTBOX_MODEL, schema: OutboxSchema }])],
  providers: [Outbox, OutboxHandlers, OutboxPasses, OutboxWorker, OutboxStream],
  exports: [Outbox, OutboxHandlers, OutboxPasses, OutboxWorker, OutboxStream],
})
export class OutboxModule {}
