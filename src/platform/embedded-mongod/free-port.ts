import { createServer } from 'node:net';

/** A port of 127.0.0.1 that nobody listens on: the wanted one if it is free, else one the system picks. */
export async function findFreePort(wanted?: number): Promise<number> {
  return (
    (wanted !== undefined && (await tryListen(wanted))) ||
    (await tryListen(0)) ||
    Promise.reject(new Error('no free port on 127.0.0.1'))
  );
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
