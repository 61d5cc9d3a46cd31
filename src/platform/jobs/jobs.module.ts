// Work that is left after a commit: the queue of the sweeper (SweepTasks) and the registry of those who do it (SweepHandlers).
// Rooms add tasks inside their own transactions and register a handler for the part of a task that is theirs; SweeperModule
// runs them. Knows no feature.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { SweepHandlers } from './sweep-handlers.js';
import { SWEEP_TASK_MODEL, SweepTaskSchema } from './sweep-task.schema.js';
import { SweepTasks } from './sweep-tasks.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: SWEEP_TASK_MODEL, schema: SweepTaskSchema }])],
  providers: [SweepTasks, SweepHandlers],
  exports: [SweepTasks, SweepHandlers],
})
export class JobsModule {}
