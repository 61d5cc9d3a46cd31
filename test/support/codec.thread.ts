// Packs and unpacks texts for a while, as threads of the CPU pool and of the search index do.
import { parentPort, workerData } from 'node:worker_threads';
import { loadCodec } from '../../src/posts/body/body-codec.js';
import { roundTrips } from './round-trips.js';

await loadCodec();
parentPort!.postMessage(roundTrips(workerData as number));
