// Packs and unpacks texts for a while, as threads of the CPU pool and of the search index do.
import { parentPort, workerData } from 'node:worker_threads';
import { roundTrips } from './round-trips.js';

parentPort!.postMessage(roundTrips(workerData as number));
