import { tryPort } from '../processes/try-port.js';

/** A free port of 127.0.0.1: the wanted one, or else one that the system picks. */
export async function findFreePort(wanted = 0): Promise<number> {
  const port = await tryPort('127.0.0.1', wanted);
  if (typeof port === 'number') return port;
  if (wanted === 0) throw new Error(`no free port on 127.0.0.1 (${port})`);
  return findFreePort();
}
