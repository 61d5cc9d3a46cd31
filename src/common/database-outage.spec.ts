import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { isDatabaseOutage } from './database-outage.js';

const server = (code: number, errorLabels: string[] = []) =>
  new MongoServerError({ ok: 0, code, errmsg: 'made by the test', errorLabels });
const named = (name: string) => Object.assign(new Error('made by the test'), { name });

describe('isDatabaseOutage', () => {
  it.each([
    6, 7, 8, 24, 43, 50, 64, 89, 91, 100, 112, 133, 134, 175, 189, 202, 225, 237, 239, 246, 251, 262, 264, 290, 9001,
    10058, 10107, 11600, 11601, 11602, 13435, 13436, 14031,
  ])('treats code %i as an outage, not as a bug that would be a 500', (code) => {
    expect(isDatabaseOutage(server(code))).toBe(true);
  });

  it.each(['TransientTransactionError', 'UnknownTransactionCommitResult', 'RetryableWriteError'])(
    'believes the label %s, whatever the code',
    (label) => expect(isDatabaseOutage(server(999, [label]))).toBe(true),
  );

  it.each([
    'MongoNetworkError',
    'MongoServerSelectionError',
    'MongoWaitQueueTimeoutError',
    'MongoPoolClearedError',
    'MongoPoolClosedError',
    // The driver's only name without the prefix: a monitor timeout has cleared the pool.
    'PoolClearedOnNetworkError',
    'MongoNotConnectedError',
    'MongoTopologyClosedError',
    'MongoServerClosedError',
    'MongoClientClosedError',
    'MongoExpiredSessionError',
    'MongoOperationTimeoutError',
    'MongoUnexpectedServerResponseError',
    'MongooseServerSelectionError',
  ])('knows %s', (name) => expect(isDatabaseOutage(named(name))).toBe(true));

  it('finds an outage inside bulk write errors, write concern errors and node errors', () => {
    const result = {} as never;
    expect(isDatabaseOutage(new MongoBulkWriteError(new MongoNetworkTimeoutError('timed out'), result))).toBe(true);
    expect(isDatabaseOutage(new MongoBulkWriteError(new MongoNetworkError('closed'), result))).toBe(true);
    expect(isDatabaseOutage(new MongoBulkWriteError({ message: 'interrupted', code: 11602 }, result))).toBe(true);
    const noSpace = server(8);
    expect(isDatabaseOutage(new MongoBulkWriteError(noSpace, result))).toBe(true);
    const writeConcernError = { code: 79, errmsg: 'no such mode' };
    expect(isDatabaseOutage(new MongoWriteConcernError({ ok: 1, writeConcernError }))).toBe(true);
    expect(isDatabaseOutage(Object.assign(new Error('write'), { code: 'EPIPE' }))).toBe(true);
  });

  it('does not treat bugs of ours as outages, which would be retried', () => {
    const mistakes = [server(11_000), server(121), server(2), new TypeError('x is undefined'), named('MongoAPIError')];
    expect(mistakes.filter(isDatabaseOutage)).toEqual([]);
    expect([null, undefined, 'text', { code: 11602 }].filter(isDatabaseOutage)).toEqual([]);
    expect(isDatabaseOutage(Object.assign(new Error('of another library'), { code: 91 }))).toBe(false);
  });
});
