import type { ConnectOptions } from 'mongoose';
import type { AppConfig } from '../../config/app-config.js';

/**
 * A server that sends nothing for this long plus `connectTimeoutMS` counts as lost, which ends waits on connections that the network has
 * dropped.
 */
const HEARTBEAT_MS = 2_000;

/** The driver's settings. Every wait is bounded, and ends with an error that becomes a 503. */
export function connectionOptions(mongo: AppConfig['mongo']): ConnectOptions {
  return {
    dbName: mongo.database,
    appName: 'opencanvas-api',
    // The `indexes` command creates collections, indexes and validators, never a serving process as a side effect.
    autoIndex: false,
    autoCreate: false,
    // mongoose would queue operations without a bound while disconnected
    bufferCommands: false,
    maxPoolSize: mongo.poolSize,
    minPoolSize: Math.min(4, mongo.poolSize),
    maxConnecting: 4,
    waitQueueTimeoutMS: mongo.waitQueueTimeoutMs,
    serverSelectionTimeoutMS: mongo.serverSelectionTimeoutMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // so that an attempt without any reply leaves time for another one
    connectTimeoutMS: Math.ceil(mongo.serverSelectionTimeoutMs / 2),
    socketTimeoutMS: mongo.socketTimeoutMs,
    // overrides the URI, because SecondaryReads decides what may be read from secondaries
    readPreference: 'primary',
    // Compression costs CPU on both ends, and server and database share a machine or a rack.
    compressors: ['none'],
    w: 'majority',
    journal: true,
    retryWrites: true,
    retryReads: true,
    monitorCommands: true,
  };
}
