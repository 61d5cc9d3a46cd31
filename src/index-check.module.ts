import { Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from './platform/cluster/process-role.js';
import { requireIndexes } from './platform/mongo/indexes/index-check.js';

/**
 * Checks the database of a serving process before all other init hooks: Nest calls those of global modules first, in the order of the
 * imports.
 */
@Global()
@Module({})
export class IndexCheckModule implements OnModuleInit {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {}

  onModuleInit(): Promise<void> {
    return requireIndexes(this.connection, runsJobs(this.role));
  }
}
