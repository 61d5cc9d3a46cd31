import type { ConnectOptions } from 'mongoose';
import type { AppConfig } from '../../config/app-config.js';

/** A server that does not respond within this time plus `connectTimeoutMS` counts as lost. This also ends waits on dropped connections. */
const HEARTBEAT_MS = 2_000;

/** Returns the driver's settings. Every wait has a timeout, which becomes a 503. */
export function connectionOptions(mongo: AppConfig['mongo']): ConnectOptions {
  return {
    dbName: mongo.database,
    appName: 'opencanvas-api',
    // Only `migrate up` creates collections, indexes and validators, never a serving process.
    autoIndex: false,
    autoCreate: false,
    // Without this option mongoose queues operations without limit while disconnected.
    bufferCommands: false,
    maxPoolSize: mongo.poolSize,
    minPoolSize: Math.min(4, mongo.poolSize),
    maxConnecting: 4,
    waitQueueTimeoutMS: mongo.waitQueueTimeoutMs,
    serverSelectionTimeoutMS: mongo.serverSelectionTimeoutMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // Allows a second attempt after one without any response.
    connectTimeoutMS: Math.ceil(mongo.serverSelectionTimeoutMs / 2),
    socketTimeoutMS: mongo.socketTimeoutMs,
    // Overrides the connection string, because SecondaryReads decides which reads use secondaries.
    readPreference: 'primary',
    // Compression costs CPU on both sides, and server and database share a machine or a rack.
    compressors: ['none'],
    w: 'majority',
    journal: true,
    retryWrites: true,
    retryReads: true,
    monitorCommands: true,
  };
}
