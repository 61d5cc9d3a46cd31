import { OpenCanvas } from '../../sdk/src/client.js';

/** The API of this server. Its tokens are in memory: they end with the page. */
export const api = new OpenCanvas({ baseUrl: location.origin });
