// The MongoDB connection of a process, and transactions, leases and the slow-query profiler. Owns only the collections `leases`,
// `process_sessions` and `restores`. Without MONGODB_URI, the first process passes on the URI of its embedded mongod.
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { MongooseModule, type MongooseModuleFactoryOptions } from '@nestjs/mongoose';
import { StartupError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { StuckConnectionMonitor } from './stuck-connection-monitor.js';
import { CommandMonitor } from './slow-query/command-monitor.js';
import { checkDeployment } from './deployment-check.js';
import { LeaseService } from './lease.service.js';
import { connectionOptions } from './connection-options.js';
import { MongoService } from './mongo.service.js';
import { SecondaryReads } from './secondary-reads.js';

async function openConnection(config: AppConfig): Promise<MongooseModuleFactoryOptions> {
  const { uri, database: dbName, serverSelectionTimeoutMs, isEmbedded, dataDir } = config.mongo;
  if (!uri)
    throw new StartupError('MONGODB_URI is not set, and no embedded MongoDB was started before the application.');
  // Runs before the connection, because @nestjs/mongoose logs a stack trace and retries for any error.
  const embeddedLog = isEmbedded ? join(dataDir, 'mongo', 'mongod.log') : undefined;
  await checkDeployment({ uri, dbName, serverSelectionTimeoutMs, embeddedLog });
  return { uri, retryAttempts: 1, ...connectionOptions(config.mongo) };
}

@Global()
@Module({
  imports: [MongooseModule.forRootAsync({ inject: [AppConfig], useFactory: openConnection })],
  providers: [MongoService, SecondaryReads, LeaseService, CommandMonitor, StuckConnectionMonitor],
  exports: [MongoService, SecondaryReads, LeaseService, CommandMonitor],
})
export class MongoModule {}
