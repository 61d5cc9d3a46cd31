// The work queue: what a write leaves to be done is a task, a row of its own transaction (WorkQueue). Rooms register what they do
// about a topic (TaskHandlers); the jobs process of one host runs the tasks at a limited rate (TaskWorker), or `cli tasks run`; a
// request may run the foreground of its own task (TaskRunner.runInline).
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TaskHandlers } from './task-handlers.js';
import { TaskRunner } from './task-runner.js';
import { TaskWorker } from './task-worker.js';
import { Task, TaskSchema } from './task.schema.js';
import { WorkQueue } from './work-queue.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: Task.name, schema: TaskSchema }])],
  providers: [WorkQueue, TaskHandlers, TaskRunner, TaskWorker],
  exports: [WorkQueue, TaskHandlers, TaskRunner, TaskWorker],
})
export class WorkQueueModule {}
