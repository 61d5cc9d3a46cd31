import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OpenSearchServer } from '../../test/support/opensearch/opensearch-server.js';
import { findComponent } from '../../test/support/optional.js';

/**
 * Runs a node of OpenSearch, and the product that searches in it, as children of this process, so that their CPU is measured together.
 * SIGTERM ends them.
 */
const script = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));
const libs = findComponent('opensearch');
if (libs === undefined) throw new Error('OPENSEARCH_LIBS names no directory');
const search = new OpenSearchServer(libs, { jvm: ['-Xms1g', '-Xmx1g'] });
process.once('exit', () => void search.kill());
await search.start();

const env = { ...process.env, SEARCH: 'opensearch', OPENSEARCH_URL: search.url };
const product = spawn(process.execPath, [...process.execArgv, script], { env, stdio: 'inherit' });
// A process that outlives this one would take CPU from the next measurement.
process.once('exit', () => product.kill('SIGKILL'));
product.once('exit', () => process.exit(1));
process.once('SIGTERM', () => {
  void (async () => {
    product.removeAllListeners('exit');
    const ended = new Promise((resolve) => product.once('exit', resolve));
    product.kill('SIGTERM');
    await ended;
    await search.remove();
    process.exit(0);
  })();
});
