import { prepare } from '../../scripts/lib/prepare.mjs';
import { startServers } from '../support/servers-of-the-run.js';

/** Specs start what is built, so it is built from the sources as they are. */
export default async function setup() {
  await prepare();
  await startServers();
}
