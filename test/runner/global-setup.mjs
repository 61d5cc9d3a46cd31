import { prepare } from '../../scripts/lib/prepare.mjs';
import { startServers } from '../support/servers-of-the-run.js';

/** Builds the current sources, because specs start the built server. */
export default async function setup() {
  await prepare();
  await startServers();
}
