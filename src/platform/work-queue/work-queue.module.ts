// The work queue: a task is a row of the transaction that requires it (Transaction.addTask). Modules register the handlers of a topic
// (TaskHandlers); the jobs process of one host, or `cli tasks run`, runs the tasks at a limited rate (TaskWorker). A request
// may run the foreground of its own task (TaskRunner.runInline).
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { JobsModule } from '../jobs/jobs.module.js';
import { TaskHandlers } from './task-handlers.js';
import { TaskRunner } from './task-runner.js';
import { TaskWorker } from './task-worker.js';
import { Task, TaskSchema } from './task.schema.js';
import { WorkQueue } from './work-queue.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: Task.name, schema: TaskSchema }]), JobsModule],
  providers: [WorkQueue, TaskHandlers, TaskRunner, TaskWorker],
  exports: [WorkQueue, TaskHandlers, TaskRunner, TaskWorker],
})
export class WorkQueueModule {}
