// Threads for what computes for long (rendering, diffs), so that no event loop does. A room describes a task by the file of
// its module (CpuTask) and hands it over with its input; the pool knows no room. Threads start with the first task.
import { Global, Module } from '@nestjs/common';
import { CpuPool } from './cpu-pool.js';

@Global()
@Module({ providers: [CpuPool], exports: [CpuPool] })
export class CpuPoolModule {}
