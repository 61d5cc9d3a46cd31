// Packs and unpacks texts for a while, as threads of the CPU pool and of the search index do.
import { parentPort, workerData } from 'node:worker_threads';
import '../runner/register-hooks.mjs';

const { loadCodec } = await import('../../src/rendering/body-codec.js');
const { roundTrips } = await import('./round-trips.js');
await loadCodec();
parentPort.postMessage(roundTrips(workerData));
