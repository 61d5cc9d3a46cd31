import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { register } from 'prom-client';
import './jest-object.mjs';

const require = createRequire(import.meta.url);
const { default: runCircus } = require('jest-circus/runner');
const asyncHooks = require('node:async_hooks');
const { AsyncLocalStorage } = asyncHooks;
const storageOfTests = new AsyncLocalStorage();

/**
 * Jest's own runner, but Node loads the spec instead of Jest's sandbox. Imports, in most specs the whole server, are loaded once per
 * process and not once per file, so files of a process share modules and globals.
 * @see https://jestjs.io/docs/configuration#testrunner-string
 */
export default async function run(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const loader = {
    requireInternalModule: requireAnew,
    requireModule: require,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(pathToFileURL(path).href),
    setGlobalsForRuntime: () => {},
    enterTestCode: () => {},
    leaveTestCode: () => {},
  };
  globalThis.console = environment.global.console;
  // Resets the metrics of the process, which files would share.
  register.resetMetrics();
  // Removes the function of Jest's sandbox. Node applies source maps without it.
  delete Error.prepareStackTrace;
  const cpuBefore = cpuSeconds();
  const result = await runCircus(globalConfig, config, { global: globalThis }, loader, testPath, sendMessageToJest);
  environment.hasFailed = result.numFailingTests > 0;
  return { ...result, cpuSeconds: cpuSeconds() - cpuBefore };
}

/** CPU of this process, and on Linux of its exited children. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + endedChildrenSeconds();
}

function endedChildrenSeconds() {
  try {
    // cutime and cstime in hundredths of a second. The fields start after the name, which may contain spaces.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

/** Loads a part of Jest again, without the tests of the previous file. */
function requireAnew(path) {
  delete require.cache[path];
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  // Jest finds the running test with a storage of its own per load. Before Node 24, each new promise pays for all storages of the process,
  // which took a fifth of the CPU of a run.
  const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
  const value = class extends AsyncLocalStorage {
    constructor() {
      return storageOfTests;
    }
  };
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, value });
  try {
    return require(path);
  } finally {
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original);
  }
}
