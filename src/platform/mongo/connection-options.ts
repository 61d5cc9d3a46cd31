import type { ConnectOptions } from 'mongoose';
import type { AppConfig } from '../../config/app-config.js';

/**
 * How often each process hears from each server, whatever else goes on. One from which nothing came for so long plus `connectTimeoutMS`
 * is given up with all its connections: that alone ends waits on connections that the network has lost without a word.
 */
const HEARTBEAT_MS = 2_000;

/**
 * The driver's settings, one place. Everything that can wait has a bound: a request that cannot get a connection, a server or an
 * answer fails with an error the filter turns into 503, it never queues without end.
 */
export function connectionOptions(mongo: AppConfig['mongo']): ConnectOptions {
  return {
    dbName: mongo.database,
    appName: 'opencanvas-api',
    // Collections, indexes and validators are made by the `indexes` command, never by a serving process as a side effect.
    autoIndex: false,
    autoCreate: false,
    // mongoose would hold operations back without a bound while there is no connection
    bufferCommands: false,
    maxPoolSize: mongo.poolSize,
    minPoolSize: Math.min(4, mongo.poolSize),
    maxConnecting: 4,
    waitQueueTimeoutMS: mongo.waitQueueTimeoutMs,
    serverSelectionTimeoutMS: mongo.serverSelectionTimeoutMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // so that an attempt into the void leaves time for another one
    connectTimeoutMS: Math.ceil(mongo.serverSelectionTimeoutMs / 2),
    socketTimeoutMS: mongo.socketTimeoutMs,
    // Compression costs both ends CPU, and server and database share a machine or a rack.
    compressors: ['none'],
    w: 'majority',
    journal: true,
    retryWrites: true,
    retryReads: true,
    monitorCommands: true,
  };
}
