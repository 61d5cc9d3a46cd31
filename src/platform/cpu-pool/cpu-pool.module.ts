// Threads for long computations (rendering, diffs), so that they do not block an event loop. A feature describes a task by the file of
// its module (CpuTask) and runs it with an input; the pool knows no feature. Threads start with the first task.
import { Module } from '@nestjs/common';
import { CpuPool } from './cpu-pool.js';

@Module({ providers: [CpuPool], exports: [CpuPool] })
export class CpuPoolModule {}
