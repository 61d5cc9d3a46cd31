// For specs that run dist/ itself.
import { prepare } from './lib/prepare.mjs';

await prepare();
