// Compresses and decompresses texts for a while, like threads of the CPU pool and of the search index.
import { parentPort, workerData } from 'node:worker_threads';
import '../runner/register-hooks.mjs';

const { loadCodec } = await import('../../src/rendering/body-codec.js');
const { roundTrips } = await import('./round-trips.js');
await loadCodec();
parentPort.postMessage(roundTrips(workerData));
