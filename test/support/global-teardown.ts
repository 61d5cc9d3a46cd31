import { TEST_SERVER, type TestServer } from './global-setup.js';

/** Stops the mongod of the run and removes its data. */
export default async function globalTeardown(): Promise<void> {
  const server = (globalThis as Record<symbol, unknown>)[TEST_SERVER] as TestServer | undefined;
  await server?.stop();
}
