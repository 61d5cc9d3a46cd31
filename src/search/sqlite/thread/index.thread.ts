// The program of a thread with one connection to the index: the writer's in the jobs process, a reader's in the web processes.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { loadCodec } from '../../../rendering/body-codec.js';
import { SqliteReader } from '../sqlite-reader.js';
import { SqliteWriter } from '../sqlite-writer.js';
import type { ThreadResult, ThreadCall, ThreadData } from './index-thread.js';

/** lower than serving, like the CPU pool */
const NICE = 5;
// A search computes longer than other requests. Outside Linux, this call would set the priority of the whole process.
if (process.platform === 'linux') setPriority(NICE);

const { role, path } = workerData as ThreadData;
if (role === 'writer') await loadCodec();
const target: object = role === 'writer' ? new SqliteWriter(path) : new SqliteReader(path);

parentPort!.on('message', ({ id, method, args }: ThreadCall) => {
  let result: ThreadResult;
  try {
    const value = (target as Record<string, (...args: unknown[]) => unknown>)[method]!(...args);
    result = { id, value };
  } catch (error) {
    const { name, message } = error as Error;
    result = { id, failure: { name, message } };
  }
  parentPort!.postMessage(result);
  if (method === 'close') parentPort!.close();
});

parentPort!.postMessage({ id: 0, value: null } satisfies ThreadResult);
