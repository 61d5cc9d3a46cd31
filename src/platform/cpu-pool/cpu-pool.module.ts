// Threads for long computations (rendering, diffs), which would block an event loop. A feature describes a task by the file of its
// module (CpuTask) and runs the task with an input.
import { Module } from '@nestjs/common';
import { CpuPool } from './cpu-pool.js';

@Module({ providers: [CpuPool], exports: [CpuPool] })
export class CpuPoolModule {}
