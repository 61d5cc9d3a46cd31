// Node runs the sources as they are: of the specs, of their child processes and threads.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
