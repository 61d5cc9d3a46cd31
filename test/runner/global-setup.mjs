export { startServers as default } from '../support/servers-of-the-run.js';
