// What a write leaves to be done, or tells other processes, is a row of its own transaction. Rooms declare topics, add rows (Outbox) inside their transactions and
// register what they do about a topic (OutboxHandlers). The jobs process of one host works the rows off, in bounded batches at a limited
// rate, by the clock or for `cli outbox run`; a request may finish the foreground pass of its own row (OutboxPasses). What a row
// only tells is heard by every process of every host (OutboxStream). Knows no feature.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OutboxHandlers } from './outbox-handlers.js';
import { OutboxPasses } from './outbox-passes.js';
import { OutboxWorker } from './outbox-worker.js';
import { OUTBOX_MODEL, OutboxSchema } from './outbox.schema.js';
import { OutboxSchedule } from './outbox.schedule.js';
import { OutboxStream } from './outbox-stream.js';
import { Outbox } from './outbox.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: OUTBOX_MODEL, schema: OutboxSchema }])],
  providers: [Outbox, OutboxHandlers, OutboxPasses, OutboxWorker, OutboxSchedule, OutboxStream],
  exports: [Outbox, OutboxHandlers, OutboxPasses, OutboxWorker, OutboxStream, OutboxSchedule],
})
export class OutboxModule {}
