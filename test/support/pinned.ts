import { HttpClient, type HttpAnswer } from '../faults/suite/http-client.js';

/** A kept connection, and the one worker at its other end. */
export type Pinned = { worker: string; client: HttpClient };

const MOST_ATTEMPTS = 100;

/** Returns the process that responded, by the mark in its request ids (`req-<process>-<count>`). */
function workerOf({ headers }: HttpAnswer): string {
  return String(headers['x-request-id']).split('-')[1]!;
}

/** Opens one connection to each of `workers` processes. */
export async function pinToEach(url: string, workers: number): Promise<Pinned[]> {
  const found = new Map<string, HttpClient>();
  for (let attempt = 0; attempt < MOST_ATTEMPTS && found.size < workers; attempt++) {
    const client = new HttpClient(url);
    const worker = workerOf(await client.send({ method: 'GET', path: '/health/live' }));
    if (found.has(worker)) client.close();
    else found.set(worker, client);
  }
  if (found.size < workers) throw new Error(`${MOST_ATTEMPTS} connections met only ${found.size} workers`);
  return [...found].map(([worker, client]) => ({ worker, client }));
}
