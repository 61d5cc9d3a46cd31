// Work that is left after a commit: the queue of the sweeper (SweepTasks), the registry of those who do it (SweepHandlers), and
// one pass of one task (SweepPasses). Rooms add tasks inside their own transactions and register a handler for the part of a task
// that is theirs; SweeperModule works off the queue, and a request may finish the early pass of its own task. Knows no feature.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { SweepHandlers } from '../outbox/outbox-handlers.js';
import { SweepPasses } from '../outbox/outbox-passes.js';
import { SWEEP_TASK_MODEL, SweepTaskSchema } from '../outbox/outbox.schema.js';
import { SweepTasks } from '../outbox/outbox.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: SWEEP_TASK_MODEL, schema: SweepTaskSchema }])],
  providers: [SweepTasks, SweepHandlers, SweepPasses],
  exports: [SweepTasks, SweepHandlers, SweepPasses],
})
export class JobsModule {}
